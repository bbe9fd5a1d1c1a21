/** Declares the modules of the page, which the build bundles from Text.ts and Mail.ts. */

declare module "*/text.browser.js" {
  export const hasEncoded: typeof import("../Text.ts").hasEncoded
  export const kindOf: typeof import("../Text.ts").kindOf
  export const linksIn: typeof import("../Text.ts").linksIn
  export const shownAddresses: typeof import("../Text.ts").shownAddresses
}

declare module "*/mail.browser.js" {
  export const linksInMail: typeof import("./Mail.ts").linksInMail
}
