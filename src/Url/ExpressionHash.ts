import { hash } from "node:crypto"

/** SHA-256 of a lookup expression: 64 lower-case hexadecimal digits. */
export type ExpressionHash = string

/** The first four bytes of an expression's hash: 8 lower-case hexadecimal digits. Thousands of URLs share each. */
export type HashPrefix = string

const PREFIX_DIGITS = 8

/**
 * The hash under which the Safe Browsing lists name an expression
 * (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing). Expressions are
 * ASCII.
 *
 * `ofExpression("foo.com/")` is `"af30010e4c011fc77e1ab03ef898ab2f8dec17c0bd178a875ad0cd9b7a6e5973"`.
 */
export const ofExpression = (expression: string): ExpressionHash => hash("sha256", expression, "hex")

/** `prefix(ofExpression("foo.com/"))` is `"af30010e"`. */
export const prefix = (expressionHash: ExpressionHash): HashPrefix => expressionHash.slice(0, PREFIX_DIGITS)
