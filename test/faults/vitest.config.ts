import { defineConfig } from "vitest/config"
import { tablesInTests } from "../../scripts/tables.js"

// Whole processes that fail and wait for timeouts: one file at a time, so that they do not slow each other down.
export default defineConfig({
  plugins: [tablesInTests],
  test: {
    include: ["test/faults/**/*.test.ts"],
    globalSetup: "test/fixtures/BuiltService.ts",
    testTimeout: 240_000,
    fileParallelism: false,
    isolate: false,
    // Each test has its own service and database, which mostly wait.
    maxConcurrency: 3
  }
})
