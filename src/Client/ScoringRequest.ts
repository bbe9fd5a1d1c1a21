import * as Scan from "./Scan.ts"

/** A request of either client. Without Effect. */
export interface ScoringRequest<A> {
  /** What follows `/api/check` in the address. */
  readonly suffix: string
  readonly body: string
  /** Reads the body of a response with status 200. Throws if it is outside the contract. */
  readonly read: (body: string, header: Scan.Header) => A
  /**
   * To be called with each answer. Reads the headers of the rate limit, which the answer of a proxy may lack. Returns whether
   * the URLs are to be sent again at once, in smaller requests.
   */
  readonly divide?: (status: number, header: Scan.Header) => boolean
}

export const checkOf = (url: string): ScoringRequest<Scan.Scan> => ({
  suffix: "?findings=true",
  body: JSON.stringify({ url }),
  read: Scan.read
})
