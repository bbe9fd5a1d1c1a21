import { random } from "../training/Random.ts"

const words =
  "garden recipe city news music travel school library river mountain bakery photo weather secure login verify account update wallet parcel paypal netflix support".split(
    " "
  )
const suffixes = "com org net de co.uk com.br io dev top xyz pages.dev github.io webflow.io".split(" ")

/** Addresses of every kind, half of them made to look suspicious, the same in each run. */
export const invented = (count: number): ReadonlyArray<string> => {
  const next = random(1)
  const pick = (from: ReadonlyArray<string>): string => from[Math.floor(next() * from.length)] ?? ""
  const name = (): string => {
    const parts = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(words))
    return next() < 0.3 ? `${parts.join("-")}${Math.floor(next() * 10_000)}` : parts.join("-")
  }
  const identifier = (): string => Math.floor(next() * 2 ** 52).toString(36)
  return Array.from({ length: count }, () => {
    const host = `${next() < 0.3 ? `${name()}.` : ""}${name()}.${pick(suffixes)}`
    const depth = Math.floor(next() * 4)
    const path = Array.from({ length: depth }, () => (next() < 0.3 ? identifier() : name())).join("/")
    const query = next() < 0.2 ? `?${pick(words)}=${identifier()}&lang=en` : ""
    return `${next() < 0.8 ? "https" : "http"}://${host}/${path}${query}`
  })
}
