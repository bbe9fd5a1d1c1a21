import { defineConfig } from "vitest/config"

// Whole processes that fail, and wait for each other's time-outs: one file at a time, so that none starves another.
export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts"],
    globalSetup: "test/fixtures/BuiltService.ts",
    testTimeout: 240_000,
    fileParallelism: false,
    isolate: false,
    // Each with a service and a database of its own, which mostly wait.
    maxConcurrency: 3
  }
})
