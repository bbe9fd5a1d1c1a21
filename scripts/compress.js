// Writes compressed copies of the files of the pages beside them, which the service sends to browsers that accept them.
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

/** Of 11. The highest makes the script of Swagger UI a tenth smaller, and takes ten times as long. */
const BROTLI_QUALITY = 9

const codings = [
  {
    ending: ".br",
    compress: (/** @type {Buffer} */ bytes) =>
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
  },
  {
    ending: ".gz",
    compress: (/** @type {Buffer} */ bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })
  }
]

/**
 * A copy that is not smaller is not written.
 *
 * @param {string} folder
 * @param {ReadonlyArray<string>} names
 */
export const compressFiles = (folder, names) =>
  Promise.all(
    names.flatMap((name) =>
      codings.map(async ({ ending, compress }) => {
        const file = join(folder, name)
        const bytes = await readFile(file)
        const compressed = await compress(bytes)
        if (compressed.length < bytes.length) await writeFile(`${file}${ending}`, compressed)
      })
    )
  )
