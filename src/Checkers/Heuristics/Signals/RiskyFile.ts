export interface RiskyFile {
  readonly kind: "executablePath" | "archivePath"
  /** Without the dot, lower case. */
  readonly extension: string
}

/**
 * Files that run when opened, and documents with programs inside. Without `js` and `com`: the one is what pages load,
 * the other ends paths such as `/www.example.com`.
 */
const executables: ReadonlySet<string> = new Set(
  [
    "exe msi msix appx scr bat cmd ps1 vbs vbe jse wsf hta lnk pif cpl jar apk dmg pkg deb rpm appimage xll",
    "docm xlsm pptm"
  ].flatMap((row) => row.split(" "))
)

/** Archives and disk images, which carry programs past filters. */
const archives: ReadonlySet<string> = new Set(
  "zip rar 7z tar gz tgz bz2 xz cab iso img vhd vhdx ace arj".split(" ")
)

const LONGEST_EXTENSION = 8

/** `atEnd("/files/invoice.pdf.exe")` is `{ kind: "executablePath", extension: "exe" }`; nothing for other paths. */
export const atEnd = (path: string): RiskyFile | undefined => {
  const dot = path.lastIndexOf(".")
  if (dot === -1 || path.length - dot - 1 > LONGEST_EXTENSION) return undefined
  const extension = path.slice(dot + 1).toLowerCase()
  if (executables.has(extension)) return { kind: "executablePath", extension }
  return archives.has(extension) ? { kind: "archivePath", extension } : undefined
}
