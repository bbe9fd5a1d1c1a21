// Gives a build the two files of Swagger UI, as @effect/platform holds them inside its own documentation page. That page
// itself would put two megabytes into the bundle, and scripts and styles inline, which our policy forbids.

/** @type {import("esbuild").Plugin} */
export const swaggerUi = {
  name: "swagger-ui",
  setup: (build) => {
    build.onResolve({ filter: /^swagger-ui\.(?:css|js)$/ }, ({ path }) => ({ path, namespace: "swagger-ui" }))
    build.onLoad({ filter: /./, namespace: "swagger-ui" }, async ({ path }) => {
      // Found only here: what is built starts without the package.
      const source = new URL("internal/httpApiSwagger.js", import.meta.resolve("@effect/platform"))
      const { css, javascript } = await import(source.href)
      return { contents: path.endsWith(".css") ? css : javascript, loader: "copy" }
    })
  }
}
