/**
 * Letters of different alphabets that look the same: what host names can use of Unicode Technical Standard 39
 * (https://www.unicode.org/reports/tr39/), with some that are alike only at a glance.
 */

/** Alphabets with letters in the shape of Latin ones, or nearly. A label in two of these is made to deceive. */
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
 * The alphabets of a label that mixes them, else nothing. Chinese, Japanese and Korean beside Latin are ordinary (UTS
 * 39, "highly restrictive"), so these scripts are not counted.
 *
 * `mixed("раypal")` with two Cyrillic letters is `["Latin", "Cyrillic"]`, `mixed("münchen")` is nothing.
 */
export const mixed = (label: string): ReadonlyArray<string> | undefined => {
  const found = alphabets.filter(([, pattern]) => pattern.test(label)).map(([name]) => name)
  return found.length > 1 ? found : undefined
}

/** Letters in the shape of a Latin one, or nearly, that no decomposition leads back to it. */
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
 * The label in the Latin letters that it resembles: accents dropped, letters of other alphabets replaced by the Latin
 * ones in the same shape. Others stay.
 *
 * `latin("pаypаl")` with Cyrillic letters is `"paypal"`, `latin("ämäzön")` is `"amazon"`.
 */
export const latin = (label: string): string => {
  let result = ""
  for (const character of label.normalize("NFKD").replace(combiningMarks, ""))
    result += lookAlikes.get(character) ?? character
  return result
}
