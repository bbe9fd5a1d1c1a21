/** The texts of the page in one language. Plurals, lists, numbers and names are the browser's (`Intl`). Pure: no document, no network. */

/** @typedef {typeof import("./en.json", { with: { type: "json" } })} Texts every language has the same names */
/** @typedef {keyof Texts} Name */
/** @typedef {Readonly<Record<string, string | number>>} Values */

/** Unicode's scripts, from which names of sites are made that look like Latin ones, among others. */
const scripts = {
  Cyrl: /\p{Script=Cyrl}/u,
  Grek: /\p{Script=Grek}/u,
  Armn: /\p{Script=Armn}/u,
  Hebr: /\p{Script=Hebr}/u,
  Arab: /\p{Script=Arab}/u,
  Deva: /\p{Script=Deva}/u,
  Thai: /\p{Script=Thai}/u,
  Geor: /\p{Script=Geor}/u,
  Cher: /\p{Script=Cher}/u,
  Hang: /\p{Script=Hang}/u,
  Hira: /\p{Script=Hira}/u,
  Kana: /\p{Script=Kana}/u,
  Hani: /\p{Script=Hani}/u
}

const SECONDS_PER_MINUTE = 60
const SECONDS_PER_HOUR = 3600

/**
 * @param {string} language
 * @param {Texts} texts
 */
export const formatter = (language, texts) => {
  const plurals = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const lists = new Intl.ListFormat(language)
  const enumerations = new Intl.ListFormat(language, { type: "unit" })
  const times = new Intl.RelativeTimeFormat(language)

  /**
   * Returns a text with values in place of its `{names}`. `count` chooses among the forms of a plural.
   *
   * @param {Name} name
   * @param {Values} [values]
   */
  const say = (name, values = {}) => {
    /** @type {string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>} */
    const text = texts[name]
    const form = typeof text === "string" ? text : (text[plurals.select(Number(values.count))] ?? text.other)
    return form.replace(/\{(\w+)\}/g, (_, key) => {
      const value = values[key] ?? ""
      return typeof value === "number" ? numbers.format(value) : value
    })
  }

  return {
    say,
    /** @param {ReadonlyArray<string>} names */
    list: (names) => lists.format(names),
    /** In some languages without a word before the last. @param {ReadonlyArray<string>} words */
    enumeration: (words) => enumerations.format(words),
    /** @param {number} milliseconds */
    duration: (milliseconds) =>
      `${milliseconds < 10 ? tenths.format(milliseconds) : numbers.format(Math.round(milliseconds))} ms`,
    /**
     * In how long, such as `in 15 minutes`; `later` without seconds.
     *
     * @param {number} seconds
     */
    when: (seconds) => {
      if (!(seconds > 0)) return say("later")
      if (seconds < SECONDS_PER_MINUTE) return times.format(seconds, "second")
      return seconds < 2 * SECONDS_PER_HOUR
        ? times.format(Math.ceil(seconds / SECONDS_PER_MINUTE), "minute")
        : times.format(Math.ceil(seconds / SECONDS_PER_HOUR), "hour")
    },
    /**
     * The names of the alphabets in a text, other than Latin.
     *
     * @param {string} text
     */
    scriptsOf: (text) => {
      const names = new Intl.DisplayNames(language, { type: "script" })
      return Object.entries(scripts)
        .filter(([, pattern]) => pattern.test(text))
        .map(([script]) => names.of(script) ?? script)
    },
    /** @param {string} code of a country, such as `DE` */
    country: (code) => new Intl.DisplayNames(language, { type: "region" }).of(code) ?? code
  }
}

/** @typedef {ReturnType<typeof formatter>} Formatter */
