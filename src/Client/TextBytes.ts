/** In UTF-8. */
export const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
