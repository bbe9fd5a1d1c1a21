import type { Handler } from "../Layers/Server.ts"

/** What one path serves. A path is compared as written: `/API/check/` is another one. */
export interface Route {
  readonly path: string
  /** `GET` answers HEAD too. */
  readonly method: "GET" | "POST"
  readonly handle: Handler
}

/** The path of a request target: `/a` of each of `"/a"`, `"/a?b"` and `"http://user@host/a?b"`. */
export const pathOf = (target: string): string =>
  target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "")

const queryOf = (target: string): URLSearchParams =>
  new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(target)?.[1] ?? "")

/** The value of a parameter in the query of a request target: `b` of `/a?c=b` is undefined, `c` is `"b"`. */
export const parameter = (target: string, name: string): string | undefined =>
  queryOf(target).get(name) ?? undefined

/** Whether the query of a request target has the parameter, with or without a value: `/a?b` has `b`. */
export const hasParameter = (target: string, name: string): boolean => queryOf(target).has(name)
