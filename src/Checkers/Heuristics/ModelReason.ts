import type { CanonicalUrl } from "../CanonicalUrl.ts"
import type { Model } from "./Model.ts"
import * as ModelPieces from "./ModelPieces.ts"

/**
 * Says what of the URL made the model speak, in printable ASCII.
 *
 * `Address resembles those of reported phishing: "secure-login", ".top"`
 */
export const reason = (model: Model, url: CanonicalUrl): string =>
  `Address resembles those of reported phishing: ${ModelPieces.of(model, url)
    .map((piece) => `"${piece}"`)
    .join(", ")}`
