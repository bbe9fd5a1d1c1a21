// Adds the two files of Swagger UI to a build. @effect/platform contains them as strings in the module of its own
// documentation page, which would add two megabytes to the bundle, and inline scripts, which our policy forbids.

/** @type {import("esbuild").Plugin} */
export const swaggerUi = {
  name: "swagger-ui",
  setup: (build) => {
    build.onResolve({ filter: /^swagger-ui\.(?:css|js)$/ }, ({ path }) => ({ path, namespace: "swagger-ui" }))
    build.onLoad({ filter: /./, namespace: "swagger-ui" }, async ({ path }) => {
      // Resolved only here: `dist` starts without the package.
      const source = new URL("internal/httpApiSwagger.js", import.meta.resolve("@effect/platform"))
      const { css, javascript } = await import(source.href)
      return { contents: path.endsWith(".css") ? css : javascript, loader: "copy" }
    })
  }
}
