/**
 * The categories of entries, in the words that a reason shows. Lists store the index in this array: add new ones only at
 * the end. Of two categories of one URL the first in this order counts.
 */
export const categories = ["phishing", "malware", "malicious", "suspected phishing"] as const

export type Category = (typeof categories)[number]
