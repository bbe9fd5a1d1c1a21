import type { Word } from "./words.schema.js"

declare const words: ReadonlyArray<Word>
export default words
