// Where Chromium is, and how the tests and the pictures of the README start it.
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** The first is Chromium without its windows: of the same tests it takes half the CPU. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]

/** @param {string} file */
const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Undefined if there is none on the PATH. */
export const executablePath = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find(isExecutable)

/** @satisfies {import("playwright-core").LaunchOptions} */
export const launchOptions = {
  ...(executablePath === undefined ? {} : { executablePath }),
  // Containers run as root and without a graphics card; the rest keeps the browser from calling home.
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // A page takes over the process of the empty page before it: an eighth less CPU.
    "--renderer-process-limit=1"
  ]
}
