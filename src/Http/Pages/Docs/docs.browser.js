/** @type {unknown} */
const loaded = globalThis
const { SwaggerUIBundle } = /** @type {{ SwaggerUIBundle: (options: object) => void }} */ (loaded)

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#documentation",
  // The validator is a public service: it would learn the address of this one.
  validatorUrl: null
})
