import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    // Nothing patches a module, so files may share the modules that they load: that is half of the time.
    isolate: false
  }
})
