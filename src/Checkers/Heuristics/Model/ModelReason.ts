import type { Model } from "../Model.ts"
import type { UrlFacts } from "../UrlFacts.ts"
import * as ModelPieces from "./ModelPieces.ts"

/**
 * Says what of the URL made the model speak, in printable ASCII.
 *
 * `Address resembles those of reported phishing: "secure-login", ".top"`
 */
export const reason = (model: Model, facts: UrlFacts): string =>
  `Address resembles those of reported phishing: ${ModelPieces.of(model, facts)
    .map((piece) => `"${piece}"`)
    .join(", ")}`
