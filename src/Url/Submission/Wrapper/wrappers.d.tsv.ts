import type { Wrapper } from "./wrappers.schema.js"

declare const wrappers: ReadonlyArray<Wrapper>
export default wrappers
