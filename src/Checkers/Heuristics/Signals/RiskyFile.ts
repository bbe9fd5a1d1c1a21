/** A file at the end of a path that can harm its user. */
export interface RiskyFile {
  readonly kind: "executablePath" | "archivePath"
  /** Without the dot, lower case. */
  readonly extension: string
}

/**
 * Files that run when opened, and documents with macros. Without `js`, which pages load, and `com`, which ends paths such
 * as `/www.example.com`.
 */
const executables: ReadonlySet<string> = new Set(
  [
    "exe msi msix appx scr bat cmd ps1 vbs vbe jse wsf hta lnk pif cpl jar apk dmg pkg deb rpm appimage xll",
    "docm xlsm pptm"
  ].flatMap((row) => row.split(" "))
)

/** Archives and disk images, which can hide programs from filters. */
const archives: ReadonlySet<string> = new Set(
  "zip rar 7z tar gz tgz bz2 xz cab iso img vhd vhdx ace arj".split(" ")
)

const MAX_EXTENSION_CHARS = 8

/** `parse("/files/invoice.pdf.exe")` is `{ kind: "executablePath", extension: "exe" }`; nothing for other paths. */
export const parse = (path: string): RiskyFile | undefined => {
  const dot = path.lastIndexOf(".")
  if (dot === -1 || path.length - dot - 1 > MAX_EXTENSION_CHARS) return undefined
  const extension = path.slice(dot + 1).toLowerCase()
  if (executables.has(extension)) return { kind: "executablePath", extension }
  return archives.has(extension) ? { kind: "archivePath", extension } : undefined
}
