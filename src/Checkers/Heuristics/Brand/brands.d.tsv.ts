import type { BrandRow } from "./brands.schema.js"

declare const brands: ReadonlyArray<BrandRow>
export default brands
