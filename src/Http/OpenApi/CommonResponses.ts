import type {
  MethodNotAllowed,
  NotFound,
  ServerError,
  TooManyRequests,
  Unavailable,
  UnsupportedEncoding
} from "../Api.ts"
import type { HeaderName } from "./Headers.ts"

/** The description, headers and examples of one status, which the contract's schemas do not contain. */
export interface Response {
  readonly description: string
  readonly headers: ReadonlyArray<HeaderName>
  /** Response bodies, by the name of the example. */
  readonly examples: Readonly<Record<string, unknown>>
}

/** The headers of every counted request. */
export const rateLimit = ["RateLimit-Policy", "RateLimit"] as const

export const unavailable: Response = {
  description: "The service is shutting down; another replica may answer.",
  headers: ["Retry-After"],
  examples: {
    unavailable: {
      error: "The service is not available at the moment"
    } satisfies typeof Unavailable.Encoded
  }
}

/** The responses that every operation can have. */
export const common: Readonly<Record<string, Response>> = {
  404: {
    description: "There is no such path: the base address is probably wrong.",
    headers: [],
    examples: { notFound: { error: "Not found" } satisfies typeof NotFound.Encoded }
  },
  405: {
    description: "The path does not have this method.",
    headers: ["Allow"],
    examples: { methodNotAllowed: { error: "Method not allowed" } satisfies typeof MethodNotAllowed.Encoded }
  },
  500: {
    description: "A defect of the service. Its log has the details.",
    headers: [],
    examples: {
      serverError: {
        error: "Server error",
        detail: "TypeError while answering; the log tells more"
      } satisfies typeof ServerError.Encoded
    }
  },
  503: unavailable
}

/** The responses that one URL and many have in common. */
export const scoring: Readonly<Record<string, Response>> = {
  415: {
    description: "The body is compressed: the header `Content-Encoding` is not `identity`.",
    headers: ["Accept-Encoding", ...rateLimit],
    examples: {
      compressed: {
        error: "Content-Encoding is not supported"
      } satisfies typeof UnsupportedEncoding.Encoded
    }
  },
  429: {
    description:
      "More requests from one IPv4 address, or one IPv6 /64, than the rate limit allows in a window.",
    headers: [...rateLimit, "Retry-After"],
    examples: {
      exceeded: {
        error: "Too many requests from this IP, please try again later.",
        limit: 100,
        current: 101
      } satisfies typeof TooManyRequests.Encoded
    }
  },
  503: {
    ...unavailable,
    description: `The service is overloaded. A request that is rejected before its body is read does not count against the rate limit. Or: ${unavailable.description}`
  }
}
