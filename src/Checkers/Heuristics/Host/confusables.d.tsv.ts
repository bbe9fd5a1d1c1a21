import type { Confusable } from "./confusables.schema.js"

declare const confusables: ReadonlyArray<Confusable>
export default confusables
