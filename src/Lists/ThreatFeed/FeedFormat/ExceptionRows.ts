/** Finds the rows of a table that are not reported: about honest, withdrawn or unused addresses, or files. */

import { ListError } from "../../ListError.ts"
import type { Fields } from "./CsvRecords.ts"
import * as RowText from "./RowText.ts"

/** What a field says of a reported page. Another column of its row may be `good`. */
const HARMFUL = /^(?:phish(?:ing)?|malicious|malware|scam|bad|block(?:ed)?|blacklist(?:ed)?)$/i

/**
 * The name of a column that says whether or when a row was withdrawn: `DataWykreslenia` of CERT Polska, `isWhitelisted` of AbuseIPDB,
 * `revoked` of STIX.
 */
const WITHDRAWN =
  /^(?:DataWykreslenia|(?:is[ _-]?)?false[ _-]?positive|(?:(?:is|date)[ _-]?)?(?:excluded?|ignored?|delet(?:ed?|ion)|remov(?:ed?|al)|withdrawn|revoked|(?:allow|white)[ _-]?listed)(?:[ _-]?(?:at|date|on))?)$/i
/** The name of a column that says whether a site is honest. */
const HONEST =
  /^(?:(?:is|in)[ _-]?)?(?:legit(?:imate)?|benign|safe|good|allow(?:ed)?|(?:the[ _-]?)?(?:allow|white)[ _-]?list)\??$/i
/** The name of a column with the text of a page, whose author chooses it. */
const PAGE_TEXT = /^(?:(?:page|site|web|html|http)[ _-]?)?(?:title|body|content|text|html)$/i
/** The name of a column that says whether a row is used: `to_ids` of MISP, `ioc` of TheHive. */
const USED = /^(?:to_ids|(?:is[ _-]?)?(?:enabled|ioc))$/i
/** The name of a column that says whether a row is of one kind: `is_phishing`. */
const KIND =
  /^(?:is[ _-]?)?(?:phish(?:ing)?|malicious|malware|scam|spam|fraud|bad)(?:[ _-](?:url|site|domain))?\??$/i
/** The name of a column with the kinds of indicators, and the kinds whose values are names of files: `invoice.zip` is a host too. */
const TYPE = /^(?:(?:ioc|indicator|attribute|observable|value)[ _-]?)?type$/i
const FILE = /^(?:file[ _-]?(?:name|path)(?:\|[\w/-]+)?|malware-sample|(?:email-)?attachment)$/i
const NO = /^(?:0(?:\.0+)?|-1|no?|f(?:alse)?)$/i
const YES = /^(?:1(?:\.0+)?|y(?:es)?|t(?:rue)?)$/i

/** Not a date, a number, an IP address, a URL or `yes`: most fields are. */
const MAY_SAY = /^(?!\d|$|yes$|h(?:tt|xx)ps?:)/i

/** One row may say `1` in `malware` and `0` in `phishing`. */
const areNo = (fields: Fields): boolean => fields.length > 0 && fields.every((field) => NO.test(field))

/** The name of a column that says so in numbers: of some data sets 1 is phishing, of others 0. */
const LABEL = /^(?:labels?|class(?:[ _-]?label)?|result|target|prediction|y)$/i
const LABEL_NUMBER = /^\s*(?:[01](?:\.0+)?|-1)\s*$/
/** A score, a count or an address: `malicious` may be how many scanners say so, `phishing_url` the page, `legit` the imitated one. */
const OTHER_FIELD = /^\s*(?![01](?:\.0+)?\s*$)\d+(?:\.\d+)?\s*$|\w\w\.[a-z]{2}|:\/\//i
/** No number of a class: `PayPal` as the target, 200 as the result; not the `NaN` of pandas for an empty field. */
const OTHER_LABEL = /^(?!\s*(?:nan|n\/a|none|null)\s*$).*[a-z]|^\s*\d\d/i

/** `yes`, or a date: with a year, `20260901`, `1.9.26` or in seconds since 1970. Not `no`, `0`, `n/a` or `0000-00-00`. */
const YES_OR_DATE =
  /^\s*(?:1|t(?:rue)?|y(?:es)?|1\d{9}(?:\d{3})?)\s*$|(?<!\d)(?:20\d\d(?:\d{4})?|\d{1,2}([./-])\d{1,2}\1\d\d)(?!\d)/i

const isHarmless = (record: Fields): boolean => record.some((field) => RowText.isHarmless(field.trim()))

const isHarmful = (record: Fields): boolean => record.some((field) => HARMFUL.test(field.trim()))

/** Returns a test of columns: whether the field of some row matches. */
const matchesIn = (rows: ReadonlyArray<Fields>, pattern: RegExp) => (column: number) =>
  rows.some((fields) => pattern.test(fields[column] ?? ""))

/** Throws `Columns` if numbers in a column would have to say it, and the words of the first rows do not. */
const refuseNumbers = (labels: ReadonlyArray<number>, rows: ReadonlyArray<Fields>): void => {
  const undecided = rows.filter((fields) => !isHarmless(fields) && !isHarmful(fields))
  const isNumber = matchesIn(undecided, LABEL_NUMBER)
  const isOther = matchesIn(undecided, OTHER_LABEL)
  const label = labels.find((column) => isNumber(column) && !isOther(column))
  if (label !== undefined)
    throw new ListError(
      "Columns",
      `the numbers in column ${label + 1} do not say which rows are phishing: leave only these, and not the column`
    )
}

/**
 * Returns whether a row of the table is an exception. `columnsNamed` returns the indices of the columns whose names match, `rows` are
 * the first ones, `place` is the column that is read. Throws `Columns` for a table in which that cannot be told.
 */
export const finderOf = (
  columnsNamed: (name: RegExp) => ReadonlyArray<number>,
  rows: ReadonlyArray<Fields>,
  place: number
): ((fields: Fields) => boolean) => {
  refuseNumbers(columnsNamed(LABEL), rows)
  const isOther = matchesIn(rows, OTHER_FIELD)
  const statementsIn = (name: RegExp) => columnsNamed(name).filter((column) => !isOther(column))
  const [withdrawn, used, types] = [columnsNamed(WITHDRAWN), columnsNamed(USED), columnsNamed(TYPE)]
  const pageTexts = columnsNamed(PAGE_TEXT)
  const [honest, kinds] = [statementsIn(HONEST), statementsIn(KIND)]
  return (fields) => {
    const fieldAt = (column: number): string => fields[column]?.trim() ?? ""
    if (withdrawn.some((column) => YES_OR_DATE.test(fieldAt(column)))) return true
    if (used.some((column) => NO.test(fieldAt(column)))) return true
    // With a scheme it is a URL, which leads to a file or came as one.
    const isFile = types.some((column) => FILE.test(fieldAt(column))) && !fieldAt(place).includes("://")
    if (isFile) return true
    const words = fields
      .filter((field, at) => MAY_SAY.test(field) && !pageTexts.includes(at))
      .map((field) => field.trim())
    if (words.some(RowText.isFalsePositive)) return true
    const answers = kinds.map(fieldAt).filter((field) => field !== "")
    // Of the scanners, one may say so, and one the opposite.
    const isHonest =
      honest.some((column) => YES.test(fieldAt(column))) && !answers.some((field) => YES.test(field))
    return (areNo(answers) || isHonest || words.some(RowText.isHonest)) && !isHarmful(fields)
  }
}
