/** Reads QR codes in a picture. The picture stays in the browser: nothing of it is sent. Loaded only when there is one. */

/** Longest side in pixels: photos are made smaller, first to this. */
const SIDES = [1200, 2000, 600]

/** The build makes it from the package `qr`. */
const QR = "./qr.browser.js"

const MAX_CODES = 5

/** For the harder attempts of the reader, in each size. */
const TIME_LIMIT_MS = 250

/**
 * @typedef {{ new (options: { formats: ReadonlyArray<string> }): { detect: (picture: ImageBitmap) => Promise<ReadonlyArray<{ rawValue: string }>> },
 *   getSupportedFormats: () => Promise<ReadonlyArray<string>> }} Detector
 */

/**
 * The codes that the browser itself finds; none if it cannot.
 *
 * @param {ImageBitmap} picture
 */
const nativeCodes = async (picture) => {
  const { BarcodeDetector } = /** @type {{ BarcodeDetector?: Detector }} */ (globalThis)
  if (BarcodeDetector === undefined) return []
  try {
    if (!(await BarcodeDetector.getSupportedFormats()).includes("qr_code")) return []
    const found = await new BarcodeDetector({ formats: ["qr_code"] }).detect(picture)
    return found.map(({ rawValue }) => rawValue)
  } catch {
    // Some systems have it without the service that it needs.
    return []
  }
}

/**
 * Finds codes one after the other: each is painted over before the next search.
 *
 * @param {ImageBitmap} picture
 * @param {number} side
 * @param {typeof import("qr/decode.js").default} decode
 */
const codesAt = (picture, side, decode) => {
  const scale = Math.min(1, side / Math.max(picture.width, picture.height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const context = canvas.getContext("2d", { willReadFrequently: true })
  if (context === null) return []
  // A transparent picture is meant for a white page.
  context.fillStyle = "#ffffff"
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  /** @type {Array<string>} */
  const codes = []
  while (codes.length < MAX_CODES) {
    /** @type {ReadonlyArray<{ x: number, y: number }>} */
    let outline = []
    try {
      const code = decode(context.getImageData(0, 0, canvas.width, canvas.height), {
        timeLimit: TIME_LIMIT_MS,
        pointsOnDetect: (points) => {
          outline = points.outline
        }
      })
      codes.push(code)
    } catch {
      break
    }
    context.beginPath()
    for (const { x, y } of outline) context.lineTo(x, y)
    context.fill()
  }
  return codes
}

/**
 * Returns what the QR codes of a picture hold; none if it has no code, and undefined if it is not a picture. Rejects if
 * the package qr cannot be loaded.
 *
 * @param {Blob} blob
 * @returns {Promise<ReadonlyArray<string> | undefined>}
 */
export const codesIn = async (blob) => {
  const picture = await createImageBitmap(blob).catch(() => undefined)
  if (picture === undefined) return undefined
  const native = await nativeCodes(picture)
  if (native.length > 0) return [...new Set(native)]
  const { default: decode } = /** @type {typeof import("qr/decode.js")} */ (await import(QR))
  /** @type {ReadonlyArray<string>} */
  let best = []
  for (const side of SIDES) {
    // A size that finds a code may miss a smaller one.
    const codes = codesAt(picture, side, decode)
    if (codes.length > best.length) best = codes
    if (best.length > 1) break
  }
  picture.close()
  return [...new Set(best)]
}
