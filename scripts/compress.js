// Writes compressed copies of the page files beside them. The service sends these to browsers that accept them.
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

/** From 0 to 11. The highest takes ten times as long as this for a result that is a tenth smaller. */
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
 * Writes a Brotli and a gzip copy of each file, `name.br` and `name.gz`, but none that is not smaller than the file.
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
