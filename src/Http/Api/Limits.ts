/** What the contract allows. Without Effect: the client loads this file. */

/** Of a request with many, unless the rate limit is lower. */
export const MAX_URLS = 500

/** Of the body of a request with many. */
export const MAX_CHECKS_BODY_BYTES = 256 * 1024

/** Of one URL in a request with many: of its JSON string in UTF-8. */
export const MAX_URL_BYTES = 64 * 1024
