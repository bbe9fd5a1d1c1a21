// Written by `npm run reference` from the rows of kinds.tsv. Without Effect and sentences: clients load this file.

/** What the sentence of each kind shows. All have `innerHost` too if they are about an address inside the URL. */
export const factsByKind = {
  blocked: ["host"],
  listedUrl: ["host", "isOtherSpelling", "list"],
  listedHost: ["host", "isOtherSpelling", "list"],
  listedDirectory: ["host", "isOtherSpelling", "list"],
  listedPage: ["host", "isOtherSpelling", "list"],
  otherPagesListed: ["host", "list", "pages"],
  unconfirmedListing: ["host", "isOtherSpelling", "list"],
  severeThreat: ["host", "threat"],
  unwantedSoftware: ["host", "threat"],
  carriedListing: ["address"],
  carriedUnwantedSoftware: ["address", "threat"],
  malformed: ["problem", "shown"],
  notHttps: [],
  scriptScheme: ["scheme"],
  otherScheme: ["scheme"],
  userInfo: ["host"],
  unreadDestination: ["unread"],
  disguisedFile: ["file", "isReversed"],
  harmfulFile: ["file"],
  executablePath: ["extension"],
  pageAmongSoftware: ["folder"],
  brandDomainInPath: ["host", "shown"],
  brandInPath: ["brand"],
  lureInPath: ["words"],
  newDomain: ["domain"],
  mailAddress: [],
  brandInUserInfo: ["host", "shown"],
  deceptiveUserInfo: ["host", "shown"],
  privateHost: ["host"],
  ipHost: ["host"],
  internationalHost: ["label"],
  mixedScripts: ["label", "scripts"],
  decoyDomain: ["registrable", "shown"],
  dynamicDns: ["suffix"],
  abusedSuffix: ["suffix"],
  freeHosting: ["suffix"],
  shortener: ["host"],
  machineName: ["label", "pattern"],
  brandHomograph: ["brand", "host"],
  brandSplit: ["brand", "host"],
  bankCodeLure: ["brand", "host", "words"],
  brandLure: ["brand", "host", "words"],
  brandDomainInHost: ["brand", "host"],
  brandLookAlike: ["brand", "host"],
  brandInDomain: ["brand", "host"],
  brandInSubdomain: ["brand", "host"],
  brandAmongWords: ["brand", "host"],
  lureInDomain: ["words"],
  lureInHost: ["words"],
  model: ["pieces"]
} as const

/** What only some findings of a kind show. A `carriedListing` has what says so: a list, Google's threat, or your block list. */
export const factsOfSome = {
  carriedListing: ["list", "threat"],
  newDomain: ["days"]
} as const

export type FindingKind = keyof typeof factsByKind

/** The kinds of findings, in the order of the contract. */
export const kindNames = Object.keys(factsByKind) as ReadonlyArray<FindingKind>
