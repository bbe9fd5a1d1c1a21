import { defineConfig } from "vitest/config"
import { tablesInTests } from "../../scripts/tables.js"

/** Each file takes minutes and tests one promise: `npm run test:load -- soak`. */
export default defineConfig({
  plugins: [tablesInTests],
  test: {
    include: ["test/load/**/*.test.ts"],
    globalSetup: "test/fixtures/BuiltService.ts",
    testTimeout: 3_600_000,
    fileParallelism: false,
    pool: "forks",
    poolOptions: { forks: { execArgv: ["--expose-gc"] } },
    // Measurements are printed at once.
    disableConsoleIntercept: true,
    reporters: [["default", { summary: false }]]
  }
})
