import type { Kind } from "./kinds.schema.js"

declare const kinds: ReadonlyArray<Kind>
export default kinds
