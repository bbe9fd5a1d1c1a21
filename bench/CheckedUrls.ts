import { urls } from "./InventedFeed.ts"

/** The four feed slots, each with a list of its own. */
export const SLOTS = ["FEED_A", "FEED_B", "FEED_C", "FEED_D"] as const

/** The lines of one slot's feed. No two slots share a URL. */
export const listedIn = (slot: number, count: number): Iterable<string> => urls(count, 11 + slot)

const words = "news shop weather maps travel recipes garden school music library".split(" ")

/** Ordinary pages on hosts that no feed lists. */
const clean = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => {
    const word = words[i % words.length] ?? ""
    const host = ["www.", "", "blog."][i % 3] + word + (i % 7 === 0 ? ".co.uk" : ".example.org")
    const path = ["/", `/${word}`, `/2026/11/${word}-${i}.html`, `/search?q=${word}+${i}&page=2`][i % 4]
    return `https://${host}${path}`
  })

/** Unusual input: spellings to canonicalize, odd hosts, text that is no URL. */
const odd = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => {
    const shapes = [
      `  HTTP://User@Sub.Example.COM:8080/a/../%2562/${i}?x=%41#top `,
      `http://192.0.2.${i % 256}/login.php?id=${i}`,
      `https://xn--pypal-4ve.example/signin/${i}`,
      `https://a.b.c.d.e.f.example.net/${"deep/".repeat(12)}${i}`,
      `https://docs.google.com/forms/d/e/${i}/viewform`,
      `https://example.com/redirect?to=http%3A%2F%2Fother.example%2F${i}`,
      `data:text/html,${i}`,
      `not a url ${i}`,
      `https://login.example.com@phish.example/${i}`,
      `https://example.com/?${"utm_source=newsletter&".repeat(20)}${i}`
    ]
    return shapes[i % shapes.length] ?? ""
  })

/** `count` URLs: two fifths listed, two fifths clean, a fifth odd, in alternation. */
export const mixed = (count: number, entriesPerSlot: number): ReadonlyArray<string> => {
  const listed = SLOTS.flatMap((_, slot) => {
    const wanted = count / 10
    const step = Math.floor(entriesPerSlot / wanted)
    return [...listedIn(slot, entriesPerSlot)].filter((_, i) => i % step === 0).slice(0, wanted)
  })
  const others = [listed, clean((count * 2) / 5), odd(count / 5)]
  return Array.from({ length: count }, (_, i) => {
    const kind = [0, 1, 0, 1, 2][i % 5] ?? 0
    const nth = Math.floor(i / 5) * (kind === 2 ? 1 : 2) + (i % 5 > 1 && kind !== 2 ? 1 : 0)
    return others[kind]?.[nth] ?? ""
  })
}
