/** What of an error may be logged: the rest contains addresses, which may contain keys, or a caller's input. */

/** The `code` of an error of Node.js, such as `ECONNREFUSED`; undefined if it has none. */
export const errorCodeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined

/**
 * The name of an error's class.
 *
 * `errorNameOf(new TypeError("x"))` is `"TypeError"`, `errorNameOf("x")` is `undefined`.
 */
export const errorNameOf = (error: unknown): string | undefined =>
  error instanceof Error && /^[A-Za-z]{1,64}$/.test(error.name) ? error.name : undefined
