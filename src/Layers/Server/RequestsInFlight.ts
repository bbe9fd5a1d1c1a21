import { Context } from "effect"

interface RequestCounts {
  /** Requests without a response, including those whose body is still arriving. */
  inFlight: number
  /** Requests whose connection was closed because they took longer than the grace period of the shutdown. */
  cut: number
}

/** Updated by the server, read by `ShutdownLog`. A server without `ShutdownLog` uses the default. */
export class RequestsInFlight extends Context.Reference<RequestsInFlight>()(
  "app/Layers/Server/RequestsInFlight",
  { defaultValue: (): RequestCounts => ({ inFlight: 0, cut: 0 }) }
) {}
