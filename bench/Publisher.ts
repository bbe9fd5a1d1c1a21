import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A publisher of one document. Each `publish` gives it a new entity tag. */
export const make = async () => {
  let version = 0
  let document: Uint8Array = Buffer.from("http://first.example/\n")
  let requested = () => {}
  const server = createServer(({ headers }, response) => {
    const etag = `"${version}"`
    if (headers["if-none-match"] === etag) return response.writeHead(304).end()
    requested()
    return response.writeHead(200, { etag, "content-length": document.length }).end(document)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/feed`,
    /** Resolves when the service requests the new document. */
    publish: (bytes: Uint8Array) => {
      document = bytes
      version++
      return new Promise<void>((resolve) => {
        requested = resolve
      })
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
