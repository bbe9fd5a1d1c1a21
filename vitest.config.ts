import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { tablesInTests } from "./scripts/tables.js"

/** One more than there are cores: the longest files mostly wait for processes and timers. */
const workers = availableParallelism() + 1

export default defineConfig({
  plugins: [tablesInTests],
  // The build makes these modules of the page.
  resolve: {
    alias: [
      {
        find: /^\.\/text\.browser\.js$/,
        replacement: fileURLToPath(new URL("src/Text.ts", import.meta.url))
      },
      {
        find: /^\.\/mail\.browser\.js$/,
        replacement: fileURLToPath(new URL("src/Text/Mail.ts", import.meta.url))
      }
    ]
  },
  test: {
    include: ["test/**/*.test.ts", "client/test/**/*.test.ts"],
    globalSetup: "test/fixtures/BuiltService.ts",
    setupFiles: "test/fixtures/Seed.ts",
    // These take minutes: `npm run test:faults` and `npm run test:load`.
    exclude: ["test/faults/**", "test/load/**"],
    // Tests that start processes take seconds, and much longer on a busy machine.
    testTimeout: 60_000,
    // No test patches a module, so the files can share them. That halves the time.
    isolate: false,
    maxWorkers: workers,
    // With fewer, Vitest ends a worker that is idle for a moment, and then the run with "Terminating worker thread".
    minWorkers: workers
  }
})
