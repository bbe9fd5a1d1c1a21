/** A link that a text has. */
export interface Link {
  /** As it is written, without what stands around it. Put together if a line break cut it. */
  readonly url: string
  /** Where it begins in the text; both start at 1. In a mail the line of its host, or that of the mail if its part is encoded. */
  readonly line: number
  readonly column: number
  /** What a reader sees: the text of an anchor, or the link itself. Empty for a form, an image or a redirect. */
  readonly shown: string
  /** It stands on several lines, or only a part of it was written, as in a log. Perhaps its parts are not one link. */
  readonly isJoined: boolean
}

/** A link at an offset, in UTF-16 units. */
export interface Found {
  readonly url: string
  readonly at: number
  readonly shown: string
  readonly isJoined: boolean
}

export const foundAt = (url: string, at: number, shown = url, isJoined = false): Found => ({
  url,
  at,
  shown,
  isJoined
})

/** Adds to a list. Not spread: an argument for each of a million links is too many. */
export const append = <A>(list: Array<A>, more: ReadonlyArray<A>): void => {
  for (const item of more) list.push(item)
}

/** The same links, of a piece that begins at an offset. */
export const moved = (found: ReadonlyArray<Found>, by: number): ReadonlyArray<Found> =>
  found.map((link) => ({ ...link, at: link.at + by }))

const LINE_BREAK = /\r\n?|\n/g

/** Gives links in order their line and column. Takes linear time. */
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
