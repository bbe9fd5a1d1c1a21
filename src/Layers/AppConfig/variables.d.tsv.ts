import type { Variable } from "./variables.schema.js"

declare const variables: ReadonlyArray<Variable>
export default variables
