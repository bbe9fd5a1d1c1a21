/** A file at the end of a path that can harm its user. */
export type RiskyFile =
  | {
      readonly kind: "executablePath" | "archivePath"
      /** Without the dot, lower case. */
      readonly extension: string
    }
  | { readonly kind: "harmfulFile"; readonly file: string }
  | {
      readonly kind: "disguisedFile"
      readonly file: string
      /** The name contains a character that reverses the text after it. */
      readonly isReversed: boolean
    }

const setOf = (spaced: string): ReadonlySet<string> => new Set(spaced.split(" "))

/**
 * Files that run when opened, and documents with macros. Without `js`, which pages load, and `com`, which ends paths such
 * as `/www.example.com`.
 */
const executables = setOf(
  "exe msi msix appx bat cmd ps1 vbs cpl jar apk dmg pkg deb rpm appimage xll docm xlsm pptm"
)

/**
 * Files that Windows runs when opened and that people have no reason to offer for download: shortcuts, pages with the rights
 * of a program, screen savers, encoded scripts. In the development data they are only among the reported addresses.
 */
const harmful = setOf("hta lnk scr pif jse vbe wsf wsh")

/** Disk images, which Windows opens like a folder. */
const images = setOf("iso img vhd vhdx")

/** Archives, which can hide programs from filters. */
const archives = setOf("zip rar 7z tar gz tgz bz2 xz cab ace arj")

/** Documents and pictures, as people know them. */
const documents = setOf(
  "pdf doc docx xls xlsx ppt pptx rtf odt txt csv jpg jpeg png gif bmp tif tiff webp mp3 mp4 avi mov htm html eml msg"
)

/** Documents that no library for pages is named after, unlike `jquery.csv.js`. */
const officeDocuments = setOf("doc docx xls ppt pptx rtf odt jpeg tiff eml msg")

/** Characters that reverse the direction of the text after them: U+202E, U+202D, U+2067. */
const REVERSED = /%E2%80%A[DE]|%E2%81%A7/i

/** A parameter of a path: `;jsessionid=1`. */
const PARAMETER = /;[^;=]*=.*$/

const MAX_EXTENSION_CHARS = 8
/** The rest is padding. */
const MAX_NAME_CHARS = 1024

/** Dots, escaped white space and a slash, which browsers and systems drop at the end of a name. */
const PADDING = /(?:%20|%A0|%C2|%0[09A-D]|[./_ ])$/i
const MAX_PADDING = 64

/** The last characters of padding, which few paths end with. */
const MAY_END_PADDING = "./_ 0ABCDabcd29"

const withoutPadding = (text: string): string => {
  if (!MAY_END_PADDING.includes(text.slice(-1))) return text
  let end = text
  for (let count = 0; count < MAX_PADDING; count++) {
    const padding = PADDING.exec(end)
    if (padding === null) return end
    end = end.slice(0, padding.index)
  }
  return end
}

const extensionOf = (name: string): string | undefined => {
  const dot = name.lastIndexOf(".")
  return dot === -1 || name.length - dot - 1 > MAX_EXTENSION_CHARS
    ? undefined
    : name.slice(dot + 1).toLowerCase()
}

/**
 * The file that a canonical path ends in; nothing for other paths. `isSuspicious`: the URL has another signal; then a disk
 * image counts as a program.
 *
 * `parse("/files/setup.exe", false)` is `{ kind: "executablePath", extension: "exe" }`, and `/files/invoice.pdf.exe` is a
 * `disguisedFile`.
 */
export const parse = (path: string, isSuspicious: boolean): RiskyFile | undefined => {
  if (!path.includes(".")) return undefined
  const whole = withoutPadding(path.slice(-MAX_NAME_CHARS))
  const name = whole.slice(whole.lastIndexOf("/") + 1).replace(PARAMETER, "")
  const extension = extensionOf(name)
  if (extension === undefined) return undefined
  const isHarmful = harmful.has(extension)
  const isImage = images.has(extension)
  if (isHarmful || isImage || extension === "js" || executables.has(extension)) {
    if (REVERSED.test(name)) return { kind: "disguisedFile", file: name, isReversed: true }
    const shown = extensionOf(withoutPadding(name.slice(0, -extension.length - 1)))
    if (shown !== undefined && (extension === "js" ? officeDocuments : documents).has(shown))
      return { kind: "disguisedFile", file: name, isReversed: false }
  }
  if (isHarmful) return { kind: "harmfulFile", file: name }
  if (executables.has(extension) || (isImage && isSuspicious)) return { kind: "executablePath", extension }
  return archives.has(extension) || isImage ? { kind: "archivePath", extension } : undefined
}
