import { assert, describe, it } from "@effect/vitest"
import * as RiskyFile from "../../../../src/Checkers/Heuristics/UrlFacts/RiskyFile.ts"

const kindOf = (path: string) => RiskyFile.parse(path)?.kind

describe("the file that a path ends in", () => {
  it.each([
    "/invoice.pdf.exe",
    "/files/Photo.JPG.SCR",
    "/invoice.pdf%20%20%20%20%20%20.exe",
    "/invoice.pdf%C2%A0.exe",
    "/invoice.pdf___.exe",
    "/invoice.pdf.exe%20",
    "/invoice.pdf.exe.",
    "/invoice.pdf.exe/",
    "/invoice.pdf.exe%00",
    "/invoice.pdf%00.exe",
    "/invoice.pdf.exe;jsessionid=1",
    "/scan.docx.js",
    "/disk.pdf.iso",
    "/photo.jpg%E2%80%AEgnp.scr",
    "/invoice%E2%80%AEfdp.exe",
    "/invoice%E2%81%A7fdp.js",
    `/invoice.pdf${"%20".repeat(5000)}.exe`
  ])("%s pretends to be a document", (path) => {
    assert.strictEqual(kindOf(path), "disguisedFile")
  })

  it.each(["/a.hta", "/a.LNK", "/a.scr", "/a.pif", "/a.scr/", "/a.lnk%20"])("%s is harmful", (path) => {
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

describe("the file that a query names", () => {
  it.each([
    ["file=invoice.pdf.exe", ".pdf.exe"],
    ["id=1&Filename=a%2Finvoice.PDF%20%20.scr&x=2", ".pdf.scr"],
    ["download=scan.docx.js", ".docx.js"]
  ])("%s pretends to be a document", (query, endings) => {
    assert.deepStrictEqual(RiskyFile.parseQuery(query), { kind: "disguisedFile", endings })
  })

  it.each([
    "file=setup.exe",
    "file=a.lnk",
    "file=invoice.pdf",
    "file=invoice.pdf.zip",
    "file=invoice.pdf.exe.html",
    "q=invoice.pdf.exe",
    "profile=invoice.pdf.exe",
    `file=${"a".repeat(300)}.pdf.exe`,
    "file=",
    ""
  ])("is ordinary in %s", (query) => {
    assert.isUndefined(RiskyFile.parseQuery(query))
  })
})
