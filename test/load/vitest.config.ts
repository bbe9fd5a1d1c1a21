import { defineConfig } from "vitest/config"

/** Promises about minutes of load, each in a file of its own: `npm run test:load -- soak`. */
export default defineConfig({
  test: {
    include: ["test/load/**/*.test.ts"],
    globalSetup: "test/fixtures/BuiltService.ts",
    testTimeout: 3_600_000,
    fileParallelism: false,
    pool: "forks",
    poolOptions: { forks: { execArgv: ["--expose-gc"] } },
    // What is measured is printed as it comes.
    disableConsoleIntercept: true,
    reporters: [["default", { summary: false }]]
  }
})
