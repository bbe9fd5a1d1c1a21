/**
 * The `code` of an error of Node.js, such as `ECONNREFUSED`; undefined if it has none. Log the code and nothing else of a
 * network error: the rest contains the address, which may contain a key.
 */
export const errorCodeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined
