/** How long both clients wait, and how often they try again. */

/** The service's slowest checker has 2 seconds: enough for that and two retries. */
export const CHECK_TIMEOUT_MS = 10_000

/**
 * The service gives a request 10 s to arrive, 10 to wait for a place, 2 for its checkers and 10 for the response to be read:
 * enough for that and two retries.
 */
export const CHECK_MANY_TIMEOUT_MS = 120_000

export const DEFAULT_RETRIES = 2

/** Wait before the first retry; doubles with each further one, and is varied by a fifth. */
export const FIRST_BACKOFF_MS = 250

/** The service's default rate limit, until an answer names the real one. */
export const FIRST_MAX_URLS = 100
