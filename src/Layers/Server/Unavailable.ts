/** The body of every 503 of the service itself. */
export const unavailable = { error: "The service is not available at the moment" } as const

/** The `Retry-After` of a 503, in seconds: the shortest, because the service may have room again at once. */
export const RETRY_AFTER = "1"
