/**
 * Letters of different alphabets that look the same: the part of Unicode Technical Standard 39
 * (https://www.unicode.org/reports/tr39/) that applies to host names, and some letters that are only similar.
 */

/** Alphabets with letters that look like Latin ones. A label with letters of two of these imitates. */
const alphabets = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Georgian", /\p{Script=Georgian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Hebrew", /\p{Script=Hebrew}/u],
  ["Arabic", /\p{Script=Arabic}/u],
  ["Thai", /\p{Script=Thai}/u],
  ["Devanagari", /\p{Script=Devanagari}/u]
] as const

/**
 * The alphabets of a label that mixes several, else nothing. Chinese, Japanese and Korean are ordinary beside Latin (UTS
 * 39, "highly restrictive") and do not count.
 *
 * `mixedAlphabets("раypal")` with two Cyrillic letters is `["Latin", "Cyrillic"]`, `mixedAlphabets("münchen")` is nothing.
 */
export const mixedAlphabets = (label: string): ReadonlyArray<string> | undefined => {
  const names = alphabets.filter(([, pattern]) => pattern.test(label)).map(([name]) => name)
  return names.length > 1 ? names : undefined
}

/** Letters that look like a Latin one and do not decompose to it. */
const lookAlikes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аɑαᴀ",
    b: "ЬьƅᏏ",
    c: "сϲᴄⅽ",
    d: "ԁⅾɗđ",
    e: "еєҽ℮",
    f: "ƒẝ",
    g: "ɡցǥ",
    h: "һհħ",
    i: "іıɩιӏі",
    j: "јϳ",
    k: "кκᴋƙ",
    l: "ӏⅼłɭ",
    m: "мⅿ",
    n: "ոɴŋ",
    o: "оοσօᴏøօ",
    p: "рρƿ",
    q: "ԛգ",
    r: "гɾᴦ",
    s: "ѕꜱʂ",
    t: "тτŧƭ",
    u: "υսцᴜ",
    v: "νѵᴠⅴ",
    w: "ԝѡωᴡ",
    x: "хχⅹ",
    y: "уγүყʏ",
    z: "ᴢʐƶ"
  }).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const))
)

const combiningMarks = /\p{Mark}+/gu

/**
 * The label in the Latin letters that it resembles: accents removed, letters of other alphabets replaced by Latin ones
 * that look alike. Other letters stay.
 *
 * `toLatin("pаypаl")` with Cyrillic letters is `"paypal"`, `toLatin("ämäzön")` is `"amazon"`.
 */
export const toLatin = (label: string): string => {
  let result = ""
  for (const character of label.normalize("NFKD").replace(combiningMarks, ""))
    result += lookAlikes.get(character) ?? character
  return result
}
