import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/fixtures/BuiltService.ts",
    // Whole processes that fail, for minutes: `npm run test:faults`. Minutes of load: `npm run test:load`.
    exclude: ["test/faults/**", "test/load/**"],
    // Tests that start processes take seconds, and many times that where other programs use the machine.
    testTimeout: 60_000,
    // Nothing patches a module, so files may share the modules that they load: that is half of the time.
    isolate: false,
    // The longest files wait for processes and timers more than they compute, also where there are only two cores.
    maxWorkers: 2,
    minWorkers: 1
  }
})
