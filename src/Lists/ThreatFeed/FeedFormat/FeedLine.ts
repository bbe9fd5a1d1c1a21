/**
 * What one line of a document says: its entries, or
 *
 * - `Comment`: nothing. A blank line is one.
 * - `Unused`: something that the format has but a list cannot contain, such as an exception.
 * - `Unreadable`: it is no line of the format.
 */
export type FeedLine = ReadonlyArray<string> | "Comment" | "Unused" | "Unreadable"

/** Reads a line without white space around it. */
export type ReadLine = (line: string) => FeedLine
