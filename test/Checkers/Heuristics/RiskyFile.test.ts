import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as UrlFacts from "../../../src/Checkers/Heuristics/UrlFacts.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"

const kindOf = (path: string) =>
  UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(`https://example.com${path}`))).path.file?.kind

describe("the file that a path ends in", () => {
  it.each([
    "/invoice.pdf.exe",
    "/files/Photo.JPG.SCR",
    "/invoice.pdf%20%20%20%20%20%20.exe",
    "/invoice.pdf___.exe",
    "/disk.pdf.iso",
    "/invoice.pdf.url",
    "/statement.docx.rdp",
    "/invoice.pdf.msc",
    "/manual.pdf.chm",
    "/settings.txt.reg",
    "/prices.xlsx.xlam",
    "/invoice.pdf.exe/",
    "/photo.jpg%E2%80%AEgnp.scr",
    "/invoice%E2%80%AEfdp.exe",
    `/invoice.pdf${"%20".repeat(5000)}.exe`
  ])("%s pretends to be a document", (path) => {
    assert.strictEqual(kindOf(path), "disguisedFile")
  })

  it.each(["/a.hta", "/a.LNK", "/a.scr", "/a.pif", "/a.scr/"])("%s is harmful", (path) => {
    assert.strictEqual(kindOf(path), "harmfulFile")
  })

  it.each([
    ["/setup.exe", "executablePath"],
    ["/a&amp;b.zip", undefined],
    ["/setup-1.2.3.exe", "executablePath"],
    ["/pdf.exe", "executablePath"],
    ["/invoice-pdf.exe", "executablePath"],
    ["/invoice.docm", "executablePath"],
    ["/linux.iso", "executablePath"],
    ["/office.rdp", "executablePath"],
    ["/callback-url", undefined],
    ["/invoice.pdf.zip", undefined],
    ["/app.js", undefined],
    ["/pdf.js", undefined],
    ["/jquery.csv.js", undefined],
    ["/viewer.pdf.js", undefined],
    ["/lnk", undefined],
    ["/invoice.pdf", undefined],
    ["/www.example.com", undefined],
    ["/report.pdf.com", undefined],
    ["/a.exe/page", undefined],
    ["/%D7%A9%E2%80%AEabc.html", undefined],
    ["/", undefined],
    ["/.", undefined],
    [`/${".".repeat(3000)}`, undefined]
  ])("%s is %s", (path, kind) => {
    assert.strictEqual(kindOf(path), kind)
  })
})
