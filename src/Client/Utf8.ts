export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
