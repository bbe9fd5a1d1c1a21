/** Why Safe Browsing refuses a request that it has understood. */
export type Refusal = "KeyRefused" | "RequestRefused"

const BAD_REQUEST = 400
const UNAUTHORIZED = 401
const FORBIDDEN = 403

/**
 * The refusal in a response; undefined for another status. `body` is the beginning of the response as text: Google answers a
 * bad key with 400 and `API_KEY_INVALID` (https://cloud.google.com/apis/design/errors).
 *
 * `refusal(403, "")` is `"KeyRefused"`; `refusal(503, "")` is undefined.
 */
export const refusal = (status: number, body: string): Refusal | undefined => {
  if (status === UNAUTHORIZED || status === FORBIDDEN) return "KeyRefused"
  if (status !== BAD_REQUEST) return undefined
  return body.includes("API_KEY_INVALID") ? "KeyRefused" : "RequestRefused"
}

/** `message("KeyRefused", "403")` is `"Safe Browsing refuses REPUTATION_API_KEY (403)"`. */
export const message = (refusal: Refusal, status: string): string =>
  `Safe Browsing refuses ${refusal === "KeyRefused" ? "REPUTATION_API_KEY" : "the request"} (${status})`
