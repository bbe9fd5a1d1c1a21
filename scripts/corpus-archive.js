// Fetches the corpus from its archive, or returns it: `node scripts/corpus-archive.js fetch corpus`, `... store corpus`, with
// the address in CORPUS_URL and a token in CORPUS_TOKEN. The archive is one tar file that `GET` returns and `PUT` replaces, with
// `Authorization: Bearer <token>`. Messages contain neither: the logs of a public repository are public.
import { spawnSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"

const TIMEOUT_MS = 600_000
/** Twenty times the development data. */
const MAX_ARCHIVE_BYTES = 1_000_000_000

const isLoopback = (/** @type {URL} */ { hostname }) => hostname === "127.0.0.1" || hostname === "[::1]"

/** @param {string} url @param {string} token @param {{ method: string, body?: Uint8Array }} request */
const send = async (url, token, { method, body }) => {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || (address.protocol !== "https:" && !isLoopback(address)))
    throw new Error("CORPUS_URL must be an https address")
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/x-tar" },
    // The token must not follow to another server, nor the corpus.
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body !== undefined && { body })
  }).catch((error) => {
    throw new Error(`The archive cannot be reached (${error.cause?.code ?? error.name})`)
  })
  if (!response.ok) throw new Error(`The archive responded to ${method} with status ${response.status}`)
  return response
}

/** @param {Response} response @param {number} maxBytes */
const readBody = async ({ body }, maxBytes) => {
  const chunks = []
  let total = 0
  for await (const chunk of body ?? []) {
    total += chunk.length
    if (total > maxBytes) throw new Error(`The archive is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @param {ReadonlyArray<string>} args @param {Uint8Array} [input] */
const tar = (args, input) => {
  const { status, stdout, stderr, error } = spawnSync("tar", args, { input, maxBuffer: MAX_ARCHIVE_BYTES })
  if (status !== 0) throw new Error(`tar failed: ${error?.message ?? String(stderr).trim()}`)
  return stdout
}

const hasRows = (/** @type {string} */ name) => name.endsWith(".tsv.gz")

/** The names of the files of a corpus, which may have a list of lists. Undefined without rows. @param {string} folder */
const filesOf = (folder) => {
  const files = readdirSync(folder).filter(
    (name) => hasRows(name) || /^capped-.*\.txt\.gz$/.test(name) || name === "benign-lists.txt"
  )
  return files.some(hasRows) ? files.sort() : undefined
}

/**
 * Unpacks the archive into a folder that is new or empty: a local file of the same name may have rows that the archive does
 * not have. Nothing is left if it fails, as it does for an archive without rows or with anything but regular files.
 *
 * @param {string} folder
 * @param {string} url
 * @param {string} token
 */
export const fetchCorpus = async (folder, url, token, maxBytes = MAX_ARCHIVE_BYTES) => {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`)
  const archive = await readBody(await send(url, token, { method: "GET" }), maxBytes)
  mkdirSync(dirname(resolve(folder)), { recursive: true })
  const unpacked = mkdtempSync(`${resolve(folder)}.fetch-`)
  try {
    tar(["-xf", "-", "-C", unpacked, "--no-same-owner"], archive)
    for (const name of readdirSync(unpacked))
      if (!lstatSync(join(unpacked, name)).isFile())
        throw new Error("The archive must have regular files only, and no folder")
    const files = filesOf(unpacked)
    if (files === undefined) throw new Error("The archive has no rows")
    renameSync(unpacked, folder)
    return files
  } finally {
    rmSync(unpacked, { recursive: true, force: true })
  }
}

/**
 * Replaces the archive by the files of a folder. Does not send a folder without rows.
 *
 * @param {string} folder
 * @param {string} url
 * @param {string} token
 */
export const storeCorpus = async (folder, url, token) => {
  const files = filesOf(folder)
  if (files === undefined) throw new Error(`${folder} has no rows`)
  await send(url, token, {
    method: "PUT",
    body: new Uint8Array(tar(["-cf", "-", "-C", folder, "--owner=0", "--group=0", "--", ...files]))
  })
  return files
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const [command, folder = ""] = process.argv.slice(2)
  const { CORPUS_URL, CORPUS_TOKEN } = process.env
  const run = command === "fetch" ? fetchCorpus : command === "store" ? storeCorpus : undefined
  try {
    if (run === undefined || folder === "")
      throw new Error("node scripts/corpus-archive.js fetch|store <folder>")
    if (!CORPUS_URL || !CORPUS_TOKEN) throw new Error("CORPUS_URL and CORPUS_TOKEN must be set")
    const files = await run(folder, CORPUS_URL, CORPUS_TOKEN)
    console.log(`${command}: ${files.length} files`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
