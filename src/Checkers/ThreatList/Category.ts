/**
 * What a feed says that its entries are, in the words that a reason shows. Lists hold the place in this array, so that
 * new words are only ever added at the end; of two that are said of one URL the earlier one is kept.
 */
export const categories = ["phishing", "malware", "malicious", "suspected phishing"] as const

export type Category = (typeof categories)[number]
