/**
 * The media type of a Content-Type header (RFC 9110, section 8.3.1), in lower case and without parameters; empty if absent.
 *
 * `parse("Text/HTML; charset=utf-8")` is `"text/html"`.
 */
export const parse = (contentType = ""): string => (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
