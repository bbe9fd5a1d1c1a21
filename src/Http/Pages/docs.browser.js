/** @type {unknown} */
const loaded = globalThis
const { SwaggerUIBundle } = /** @type {{ SwaggerUIBundle: (options: object) => void }} */ (loaded)

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#documentation",
  // It would be sent the address of this service.
  validatorUrl: null
})
