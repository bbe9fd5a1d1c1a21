/**
 * The name of an error's class, and nothing else of it: its message may quote a secret or a caller's input.
 *
 * `errorNameOf(new TypeError("x"))` is `"TypeError"`, `errorNameOf("x")` is `undefined`.
 */
export const errorNameOf = (error: unknown): string | undefined =>
  error instanceof Error && /^[A-Za-z]{1,64}$/.test(error.name) ? error.name : undefined
