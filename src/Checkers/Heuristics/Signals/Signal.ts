import type { Brand } from "../Brand/Brands.ts"
import type { BrandEvidence } from "../Brand.ts"
import type { Pattern } from "../Host/MachineName.ts"
import type { RiskyFile } from "./RiskyFile.ts"

/**
 * A piece of evidence in a URL, with the text or number that was found. Its kind names its row in the table of
 * contributions; `Reasons` has its sentence.
 */
export type Signal =
  | {
      readonly kind: "malformed"
      readonly reason: "NoHost" | "ForbiddenHostCharacter"
      /** The beginning of the submitted string, without user info and query. */
      readonly shown: string
    }
  | { readonly kind: "scriptScheme" | "otherScheme"; readonly scheme: string }
  | { readonly kind: "notHttps" | "unreadDestination" }
  | { readonly kind: "ipHost" | "privateHost" | "shortener" | "userInfo"; readonly host: string }
  | {
      readonly kind: "deceptiveUserInfo" | "brandInUserInfo"
      readonly shown: string
      readonly host: string
    }
  | { readonly kind: "decoyDomain"; readonly shown: string; readonly registrable: string }
  | { readonly kind: "internationalHost"; readonly label: string }
  | { readonly kind: "mixedScripts"; readonly label: string; readonly scripts: ReadonlyArray<string> }
  | {
      readonly kind: BrandEvidence["kind"]
      readonly brand: Brand
      /** Which of the brand's names. */
      readonly name: string
      readonly host: string
    }
  | { readonly kind: "brandInPath"; readonly brand: Brand; readonly name: string }
  | { readonly kind: "brandDomainInPath"; readonly shown: string; readonly host: string }
  | { readonly kind: "lureInDomain" | "lureInHost" | "lureInPath"; readonly words: ReadonlyArray<string> }
  | { readonly kind: "abusedSuffix" | "freeHosting" | "dynamicDns"; readonly suffix: string }
  | { readonly kind: "manyLabels"; readonly host: string; readonly count: number }
  | { readonly kind: "longHost"; readonly host: string; readonly length: number }
  | { readonly kind: "longUrl"; readonly length: number }
  | { readonly kind: "unusualPort"; readonly port: number }
  | { readonly kind: "nestedUrl"; readonly nestedHost: string }
  | { readonly kind: "repeatedEncoding"; readonly rounds: number }
  | RiskyFile
  | { readonly kind: "machineName"; readonly label: string; readonly pattern: Pattern }
  | { readonly kind: "pageAmongSoftware"; readonly folder: string }
  | { readonly kind: "pageAsFolder"; readonly page: string }
  | { readonly kind: "contentIdentifier"; readonly identifier: string }
  | { readonly kind: "mailAddress" }
