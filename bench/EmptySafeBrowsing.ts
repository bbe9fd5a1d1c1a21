import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** The protobuf of `SearchHashesResponse` with only `cache_duration`: 3,600 seconds. */
const nothingListed = Buffer.from([0x12, 3, 0x08, 0x90, 0x1c])

/** A reputation service that lists nothing, cacheable for an hour. It sends no response while `hanging`. */
export const make = async () => {
  const lookup = { hanging: false }
  const server = createServer((_request, response) => {
    if (lookup.hanging) return
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end(nothingListed)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    lookup,
    environment: {
      REPUTATION_API_KEY: "key",
      REPUTATION_API_URL: `http://127.0.0.1:${port}`,
      REPUTATION_MODE: "no-storage"
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
