/** A link that a text contains, and its place. */
export interface Link {
  /** As it is written, without the punctuation around it. */
  readonly url: string
  /** Where it begins in the text; both start at 1. In a mail the line of its host, or 1 if its part is encoded. */
  readonly line: number
  readonly column: number
  /** What a reader sees: the text of an anchor, or the link itself. Empty for a form, an image or a redirect. */
  readonly shown: string
  /** It was put together, perhaps wrongly: from several lines, or with the host of a log line. */
  readonly isJoined: boolean
}

/** A link at an offset, in UTF-16 units. */
export interface Found {
  readonly url: string
  readonly at: number
  readonly shown: string
  readonly isJoined: boolean
}

/** Of the text that a link shows, in UTF-16 units. */
export const MAX_SHOWN_CHARS = 300

export const foundAt = (url: string, at: number, shown = url, isJoined = false): Found => ({
  url,
  at,
  shown,
  isJoined
})

/** Adds items to a list. A spread fails for a million of them. */
export const append = <A>(list: Array<A>, more: ReadonlyArray<A>): void => {
  for (const item of more) list.push(item)
}

/** The links of a piece of a text, at their offsets in the whole text. */
export const moved = (found: ReadonlyArray<Found>, by: number): ReadonlyArray<Found> =>
  found.map((link) => ({ ...link, at: link.at + by }))

const LINE_BREAK = /\r\n?|\n/g

/** Returns links in order with their lines and columns. Takes linear time. */
export const placed = (text: string, found: ReadonlyArray<Found>): ReadonlyArray<Link> => {
  const breaks = text.matchAll(LINE_BREAK)
  let next = breaks.next()
  let line = 1
  let start = 0
  return found
    .toSorted((left, right) => left.at - right.at)
    .map(({ at, isJoined, shown, url }) => {
      while (next.done !== true && next.value.index + next.value[0].length <= at) {
        line++
        start = next.value.index + next.value[0].length
        next = breaks.next()
      }
      return { url, line, column: at - start + 1, shown, isJoined }
    })
}
