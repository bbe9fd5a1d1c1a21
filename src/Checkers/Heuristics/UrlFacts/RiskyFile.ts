import type { Found } from "../../Kinds.ts"

/** A file at the end of a path that can harm its user. */
export type RiskyFile = Found<"disguisedFile" | "executablePath" | "harmfulFile">

const setOf = (spaced: string): ReadonlySet<string> => new Set(spaced.split(" "))

type FileType = "program" | "harmful" | "script"

const extensions: Readonly<Record<FileType, string>> = {
  // Files that run when opened, documents with macros, and disk images, which Windows opens like a folder. Without `com`, which
  // ends paths such as `/www.example.com`.
  program:
    "exe msi msix appx bat cmd ps1 vbs cpl jar apk dmg pkg deb rpm appimage xll docm xlsm pptm iso img vhd vhdx",
  // Files that Windows runs when opened and that people have no reason to offer for download: shortcuts, pages with the
  // rights of a program, screen savers, encoded scripts. In the development data they are only among the reported addresses.
  harmful: "hta lnk scr pif jse vbe wsf wsh",
  // Pages load them; Windows runs one that was downloaded.
  script: "js"
}

const typeByExtension: ReadonlyMap<string, FileType> = new Map(
  Object.entries(extensions).flatMap(([type, spaced]) =>
    spaced.split(" ").map((extension) => [extension, type as FileType] as const)
  )
)

/** Documents and pictures, as people know them. */
const documents = setOf(
  "pdf doc docx xls xlsx ppt pptx rtf odt txt csv jpg jpeg png gif bmp tif tiff webp mp3 mp4 avi mov htm html eml msg"
)

/** Documents that no library for pages is named after, unlike `jquery.csv.js`. */
const officeDocuments = setOf("doc docx xls ppt pptx rtf odt jpeg tiff eml msg")

/** Characters that reverse the direction of the text after them: U+202E, U+202D, U+2067. */
const REVERSED = /%E2%80%A[DE]|%E2%81%A7/i

const MAX_EXTENSION_CHARS = 8

/** Escaped white space: of ASCII, NUL, and the no-break space U+00A0 as two bytes. */
const escapedSpaces = setOf("%00 %09 %0A %0B %0C %0D %20 %C2 %A0")
const ESCAPE_CHARS = 3
const PERCENT = "%".charCodeAt(0)
const paddingCodes: ReadonlySet<number> = new Set(Array.from("./_", (character) => character.charCodeAt(0)))

/** Dots, white space and a slash at the end of a name, which browsers and systems drop, and underscores in their place. */
const withoutPadding = (text: string): string => {
  let end = text.length
  for (;;) {
    if (paddingCodes.has(text.charCodeAt(end - 1))) end--
    else if (
      text.charCodeAt(end - ESCAPE_CHARS) === PERCENT &&
      escapedSpaces.has(text.slice(end - ESCAPE_CHARS, end))
    )
      end -= ESCAPE_CHARS
    else return end === text.length ? text : text.slice(0, end)
  }
}

/** The name of a file without the parameters of a path: `a.exe` of `a.exe;jsessionid=1`. */
const withoutParameters = (name: string): string => {
  const semicolon = name.indexOf(";")
  return semicolon !== -1 && name.includes("=", semicolon) ? name.slice(0, semicolon) : name
}

const extensionOf = (name: string): string | undefined => {
  const dot = name.lastIndexOf(".")
  return dot === -1 || name.length - dot - 1 > MAX_EXTENSION_CHARS
    ? undefined
    : name.slice(dot + 1).toLowerCase()
}

/** The extension of a document before a program's, `pdf` of `invoice.pdf.exe`. */
const documentEnding = (name: string, extension: string, type: FileType): string | undefined => {
  const shown = extensionOf(withoutPadding(name.slice(0, -extension.length - 1)))
  return shown !== undefined && (type === "script" ? officeDocuments : documents).has(shown)
    ? shown
    : undefined
}

/**
 * The file that a canonical path ends in; nothing for other paths.
 *
 * `parse("/files/setup.exe")` is `{ kind: "executablePath", extension: "exe" }`, and `/files/invoice.pdf.exe` is a
 * `disguisedFile`.
 */
export const parse = (path: string): RiskyFile | undefined => {
  if (!path.includes(".")) return undefined
  const whole = withoutPadding(path)
  const name = withoutParameters(whole.slice(whole.lastIndexOf("/") + 1))
  const extension = extensionOf(name)
  if (extension === undefined) return undefined
  const type = typeByExtension.get(extension)
  if (type === undefined) return undefined
  if (REVERSED.test(name)) return { kind: "disguisedFile", file: name, isReversed: true }
  if (documentEnding(name, extension, type) !== undefined)
    return { kind: "disguisedFile", file: name, isReversed: false }
  if (type === "script") return undefined
  return type === "harmful" ? { kind: "harmfulFile", file: name } : { kind: "executablePath", extension }
}

/** A parameter that names a file for download. Its value ends with the name. */
const FILE_PARAMETER = /(?:^|[&;])(?:file|filename|attachment|download)=([^&;]{1,255})(?![^&;])/i

/** The program that a canonical query offers as a document: `.pdf.exe` of `file=invoice.pdf.exe`. A search for it does not count. */
export const parseQuery = (query: string): RiskyFile | undefined => {
  const name = withoutPadding(FILE_PARAMETER.exec(query)?.[1] ?? "")
  const extension = extensionOf(name)
  const type = extension === undefined ? undefined : typeByExtension.get(extension)
  if (extension === undefined || type === undefined) return undefined
  const shown = documentEnding(name, extension, type)
  return shown === undefined ? undefined : { kind: "disguisedFile", endings: `.${shown}.${extension}` }
}
