import * as LureWords from "../LureWords.ts"

/** Words of lures, and what phishers and brands alike put before or behind a name in one word: `paypallogin`, `mynetflix`. */
const affixes: ReadonlySet<string> = new Set([
  ...LureWords.all,
  ...[
    "my the get www web app apps online official live pro io com net org inc us usa uk eu jp de fr it es br ca au",
    "help helps support supports center centre care desk service services customer client clients clone suite wallet",
    "wallets start bridge connect login logins logon loginin signin signins signup sign mobile shop store mall global",
    "club card cards bank banking netbanking pay payment payments delivery express post track tracking parcel package",
    "claim claims reward rewards gift gifts bonus promo airdrop token nft swap exchange trade security secure safe",
    "verify verified verification update alert alerts account accounts id ids user mail email free premium plus new",
    "portal home page pages team group business ads web3 cloud file files share admin confirm recovery auth sso invoice",
    "billing refund cc vip hub info site website extension access desktop drop dapp support24 soporte conta konto cuenta"
  ].flatMap((row) => row.split(" "))
])

/** What is longer is none: so that a long word is not cut at every letter, once for each name that stands in it. */
const LONGEST = Math.max(...Array.from(affixes, (affix) => affix.length))

/** More are another name. */
const MOST_IN_A_ROW = 3

const digitsAtEnds = /^\d+|(?<!\d)\d+$/g

/** Whether the text is nothing, digits, or at most three affixes and words of lures in a row: `loginsecure24` is. */
export const areAffixes = (text: string): boolean =>
  text === "" || areWords(text.replace(digitsAtEnds, ""), MOST_IN_A_ROW)

const isAffix = (text: string): boolean => text.length <= LONGEST && affixes.has(text)

const SHORTEST_IN_A_ROW = 2

const areWords = (text: string, most: number): boolean => {
  if (text === "" || isAffix(text)) return true
  if (most === 1 || text.length > most * LONGEST) return false
  for (let at = SHORTEST_IN_A_ROW; at <= Math.min(LONGEST, text.length - SHORTEST_IN_A_ROW); at++)
    if (isAffix(text.slice(0, at)) && areWords(text.slice(at), most - 1)) return true
  return false
}

const SHORTEST_CUT = 3
const SHORTEST_LEFT = 6

/** The word without its longest affix and without digits at its ends, if that leaves at least six letters. */
export const without = (word: string): string | undefined => {
  const bare = word.replace(digitsAtEnds, "")
  const least = Math.max(SHORTEST_LEFT, bare.length - LONGEST)
  for (let left = least; left <= bare.length - SHORTEST_CUT; left++) {
    if (isAffix(bare.slice(left))) return bare.slice(0, left)
    if (isAffix(bare.slice(0, -left))) return bare.slice(-left)
  }
  return bare !== word && bare.length >= SHORTEST_LEFT ? bare : undefined
}
