import { Context } from "effect"

interface RequestCounts {
  /** Requests without a response, those whose body is still arriving included. */
  inFlight: number
  /** Requests whose connection was cut because the shutdown could not wait for them any longer. */
  cut: number
}

/** Counted by the server. The default is read by nobody: a program that does not log its end need not provide it. */
export class RequestsInFlight extends Context.Reference<RequestsInFlight>()(
  "app/Layers/Server/RequestsInFlight",
  { defaultValue: (): RequestCounts => ({ inFlight: 0, cut: 0 }) }
) {}
