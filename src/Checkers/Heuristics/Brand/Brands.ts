import type { Brand } from "./Brands/Brand.ts"
import { crypto } from "./Brands/Crypto.ts"
import { otherBanks } from "./Brands/OtherBanks.ts"
import { postAndState } from "./Brands/PostAndState.ts"
import { shops } from "./Brands/Shops.ts"
import { technology } from "./Brands/Technology.ts"
import { telecoms } from "./Brands/Telecoms.ts"
import { westernBanks } from "./Brands/WesternBanks.ts"

export type { Brand } from "./Brands/Brand.ts"

/**
 * Brands that phishing pages imitate, and the domains of each.
 *
 * Chosen by how often reports of phishing name them and by how many people have an account there. Left out on purpose:
 * names that developers put everywhere (GitHub, Cloudflare), and names of three letters except the most frequent in
 * reports. A name of two everyday words (`findmyphone`) has a row of its own beside the everyday one.
 */
export const brands: ReadonlyArray<Brand> = [
  ...westernBanks,
  ...otherBanks,
  ...postAndState,
  ...telecoms,
  ...technology,
  ...shops,
  ...crypto
]
