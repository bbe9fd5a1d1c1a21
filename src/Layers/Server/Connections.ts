import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duration, Effect, Iterable, Option, Predicate } from "effect"
import * as BackgroundLoop from "../Time/BackgroundLoop.ts"
import { clientAddress } from "./ClientAddress.ts"

/** Of all connections, the places that no flood of clients takes from health probes. */
export const RESERVED_CONNECTIONS = 64

/**
 * Pipelined requests of one connection that may wait for the responses before theirs. Node goes on reading requests and
 * buffers all responses for a client that reads none. Clients that pipeline at all have some ten under way.
 */
export const MAX_PIPELINED = 16

/**
 * The same of all connections of a port: 16 on each of 4,032 would need 400 MB, at some 6 KB each, and the responses. An attacker who
 * reads no response can take all of them, for MAX_READ_IDLE; then connections of others that pipeline are reset. Browsers and
 * proxies do not pipeline.
 */
export const MAX_PIPELINED_OF_PORT = 4096

/**
 * How long a connection may stay open while the system takes no more bytes of a response. Longer than node's own limits, and
 * enough for the longest script of a page at 15 KB a second: progress shows only when the whole buffered part is taken.
 */
export const MAX_READ_IDLE = Duration.minutes(2)

/** How often connections are inspected. */
const INSPECTION_INTERVAL = Duration.seconds(5)

/** Inspections are counted, not time: a pause of the whole process must not reset clients. */
const MAX_IDLE_INSPECTIONS = Duration.toMillis(MAX_READ_IDLE) / Duration.toMillis(INSPECTION_INTERVAL)

/** The limits of one port. `Infinity`: no limit of this kind. */
export interface ConnectionLimits {
  readonly max: number
  /** Of one client address, as the rate limit counts them. */
  readonly perAddress: number
  /** Of all peers that are not on loopback. */
  readonly remote: number
}

/** Why a connection was closed: its address has too many, or the port is full. */
export type Reason = "address" | "full"

interface Connection {
  readonly socket: Socket
  /** As the rate limit counts it. */
  readonly address: string
  readonly isRemote: boolean
  /** Those of its address, least recently used first: opened, sent the head of a request or got a response. */
  readonly siblings: Set<Connection>
  /** Those that are not sent, in the order of their requests. */
  readonly responses: Set<ServerResponse>
  /** How many response bytes the system had taken at the last inspection; undefined before the first. */
  bytesTaken: number | undefined
  /** Inspections in a row at which that had not changed. */
  idleInspections: number
}

/** Whether a request has arrived whole and its response is not sent yet. */
const hasWholeRequest = ({ responses }: Connection): boolean => {
  // Without a socket the response waits behind the response to an earlier request, so this request is complete.
  for (const { req, socket } of responses) if (req.complete || socket === null) return true
  return false
}

/** Whether a response of the connection is not ready. One that is ready may wait for ever for a client that does not read. */
const awaitsResponse = ({ responses }: Connection): boolean =>
  Iterable.some(responses, ({ headersSent }) => !headersSent)

/**
 * The connection to close for a new one, the least recently used of a kind: one without a whole request, else one whose client has
 * not read its responses. Undefined: the service works on a request of each.
 */
const leastNeeded = (connections: Iterable<Connection>): Connection | undefined =>
  Iterable.findFirst(connections, Predicate.not(hasWholeRequest)).pipe(
    Option.orElse(() => Iterable.findFirst(connections, Predicate.not(awaitsResponse))),
    Option.getOrUndefined
  )

/** @example isLoopback("::ffff:127.0.0.2") === true */
const isLoopback = (address: string | undefined): boolean =>
  address === "::1" || /^(?:::ffff:)?127\./i.test(address ?? "")

/**
 * Limits the connections of a port: all, those of an address, and those of peers that are not on loopback. At a limit one of them
 * is closed (`leastNeeded`), or the new connection if the service works on a request of each.
 */
export const make = ({ max, perAddress, remote }: ConnectionLimits, onClosed: (reason: Reason) => void) => {
  /** Least recently used first. */
  const bySocket = new Map<Socket, Connection>()
  const byAddress = new Map<string, Set<Connection>>()
  let remotePeers = 0
  /** Requests that wait for the responses before theirs. */
  let pipelined = 0

  const all = Iterable.map(bySocket, ([, connection]) => connection)
  const remotes = Iterable.filter(all, ({ isRemote }) => isRemote)

  const close = (socket: Socket, reason: Reason) => {
    socket.destroy()
    onClosed(reason)
  }

  /** May be called again. */
  const leave = (connection: Connection) => {
    const { address, isRemote, responses, siblings, socket } = connection
    if (!bySocket.delete(socket)) return
    pipelined -= Math.max(0, responses.size - 1)
    siblings.delete(connection)
    if (siblings.size === 0) byAddress.delete(address)
    if (isRemote) remotePeers--
  }

  /** Closes one of the connections for the new one. False: closed the new one. */
  const makeRoom = (connections: Iterable<Connection>, newSocket: Socket, reason: Reason): boolean => {
    const closed = leastNeeded(connections)
    close(closed?.socket ?? newSocket, reason)
    if (closed !== undefined) leave(closed)
    return closed !== undefined
  }

  /** Notes that a connection is used. */
  const use = (connection: Connection): void => {
    const { siblings, socket } = connection
    siblings.delete(connection)
    siblings.add(connection)
    bySocket.delete(socket)
    bySocket.set(socket, connection)
  }

  const inspect = () => {
    for (const connection of bySocket.values()) {
      const { bytesTaken, idleInspections, socket } = connection
      connection.bytesTaken = socket.bytesWritten - socket.writableLength
      connection.idleInspections = connection.bytesTaken === bytesTaken ? idleInspections + 1 : 0
      if (connection.idleInspections >= MAX_IDLE_INSPECTIONS) socket.resetAndDestroy()
    }
  }

  return {
    /** Takes a new connection, or closes it or another one. */
    admit: (socket: Socket): void => {
      const isRemote = !isLoopback(socket.remoteAddress)
      const address = clientAddress(socket.remoteAddress, undefined, 0)
      const ofAddress: ReadonlySet<Connection> = byAddress.get(address) ?? new Set()
      if (ofAddress.size >= perAddress && !makeRoom(ofAddress, socket, "address")) return
      if (isRemote && remotePeers >= remote && !makeRoom(remotes, socket, "full")) return
      if (bySocket.size >= max && !makeRoom(all, socket, "full")) return
      // Again: the set of an address is dropped with its last connection.
      const siblings = byAddress.get(address) ?? new Set<Connection>()
      const connection: Connection = {
        socket,
        address,
        isRemote,
        siblings,
        responses: new Set(),
        bytesTaken: undefined,
        idleInspections: 0
      }
      byAddress.set(address, siblings.add(connection))
      bySocket.set(socket, connection)
      if (isRemote) remotePeers++
      socket.once("close", () => {
        leave(connection)
        // Node does it only for the response whose turn it is: the handlers of the others would run on.
        for (const response of connection.responses) if (response.socket === null) response.emit("close")
      })
    },

    /** Takes a request whose head has arrived. False if the connection, or the port, has too many pipelined requests. */
    admitPipelined: ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
      const connection = bySocket.get(socket)
      if (connection === undefined) return true
      const isPipelined = connection.responses.size > 0
      if (connection.responses.size > MAX_PIPELINED || (isPipelined && pipelined >= MAX_PIPELINED_OF_PORT))
        return false
      if (isPipelined) pipelined++
      use(connection)
      connection.responses.add(response)
      return true
    },

    /** Notes that a response is sent. */
    end: (response: ServerResponse): void => {
      const connection = bySocket.get(response.req.socket)
      if (connection?.responses.delete(response) !== true) return
      if (connection.responses.size > 0) pipelined--
      use(connection)
    },

    /**
     * Resets connections whose clients do not read their responses, until the scope closes. Node's `timeout` does not: any byte
     * that the client sends restarts it, even an empty line. Nor does it reset: what the system has buffered would wait on.
     */
    resetSlowReaders: BackgroundLoop.fork(
      "slow readers",
      Effect.zipRight(Effect.sync(inspect), Effect.sleep(INSPECTION_INTERVAL))
    )
  }
}
