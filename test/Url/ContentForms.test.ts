import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as ContentForms from "../../src/Url/ContentForms.ts"
import * as Hosts from "../../src/Url/Hosts.ts"

describe("normalizedQuery", () => {
  it.each<[query: string | undefined, normalized: string]>([
    [undefined, ""],
    ["", ""],
    ["id=1", "id=1"],
    ["id=2&a=1", "a=1&id=2"],
    ["&id=1&&", "id=1"],
    // Of equal names the values are in order too
    ["a=2&a=1&a=2", "a=1&a=2&a=2"],
    // An empty value is not the same as none
    ["b=&a", "a&b="],
    // Only & separates
    ["b;a=1", "b;a=1"],
    ["amp;b=1&a", "a&amp;b=1"],
    // Tracking
    ["utm_source=x&id=1&utm_medium=y", "id=1"],
    ["usp=sharing&authuser=0&pli=1", ""],
    ["fbclid=1&gclid=2&msclkid=3&mc_eid=4&igshid=5", ""],
    ["usp", ""],
    ["Utm_source=x", "Utm_source=x"],
    ["xutm_source=1&uspx=2&fbclid_=3", "fbclid_=3&uspx=2&xutm_source=1"]
  ])("of %s is %s", (query, normalized) => {
    assert.strictEqual(ContentForms.normalizedQuery(query), normalized)
  })

  it("is the same in any order, with any tracking parameters", () => {
    const parameter = FastCheck.stringMatching(/^[a-d]{1,2}(?:=[a-c]{0,2})?$/)
    const tracking = FastCheck.constantFrom("utm_x=1", "fbclid=2", "usp=sharing", "")
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(parameter, { maxLength: 12 }).chain((parameters) =>
          FastCheck.tuple(
            FastCheck.constant(parameters),
            FastCheck.shuffledSubarray(parameters, { minLength: parameters.length })
          )
        ),
        FastCheck.array(tracking, { maxLength: 5 }),
        ([parameters, shuffled], others) => {
          assert.strictEqual(
            ContentForms.normalizedQuery([...others, ...shuffled].join("&")),
            ContentForms.normalizedQuery(parameters.join("&"))
          )
        }
      ),
      { numRuns: 300 }
    )
  })

  it("is undefined for more than a hundred parameters, tracking ones not counted", () => {
    const parameters = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=1`).join("&")
    assert.isDefined(ContentForms.normalizedQuery(parameters(100)))
    assert.isDefined(ContentForms.normalizedQuery(`${parameters(100)}${"&utm_a=1".repeat(5000)}`))
    assert.isUndefined(ContentForms.normalizedQuery(parameters(101)))
  })
})

describe("contentPath", () => {
  it.each<[host: string, path: string, content: string | undefined]>([
    ["sites.google.com", "/view/bad", "/view/bad"],
    ["sites.google.com", "/view/bad/home", "/view/bad/home"],
    ["sites.google.com", "/site/bad/", "/site/bad"],
    ["sites.google.com", "/a/school.example/bad", "/a/school.example/bad"],
    ["sites.google.com", "/view", undefined],
    ["sites.google.com", "/", undefined],
    ["sites.google.com", "/new", undefined],
    ["drive.google.com", "/file/d/1/view", "/file/d/1"],
    ["drive.google.com", "/file/d/1/edit", "/file/d/1"],
    ["drive.google.com", "/file/d/1", "/file/d/1"],
    ["drive.google.com", "/file/d/", undefined],
    ["drive.google.com", "/uc", undefined],
    ["drive.google.com", "/open", undefined],
    ["docs.google.com", "/forms/d/e/1/viewform", "/forms/d/e/1"],
    ["docs.google.com", "/forms/d/1/viewform", "/forms/d/1"],
    ["docs.google.com", "/presentation/d/e/1/pub", "/presentation/d/e/1"],
    ["docs.google.com", "/forms/x", undefined],
    // Opened by another account of the visitor
    ["docs.google.com", "/forms/u/1/d/e/1/viewform", "/forms/d/e/1"],
    ["drive.google.com", "/drive/u/0/folders/1", "/drive/folders/1"],
    ["drive.google.com", "/file/u/12/d/1/view", "/file/d/1"],
    ["sites.google.com", "/view/u/1/page", "/view/u/1/page"],
    // Programs and other pages that are the same for everybody
    ["forms.office.com", "/Pages/ResponsePage.aspx", undefined],
    ["forms.office.com", "/r/1", "/r/1"],
    ["www.google.com", "/url", undefined],
    ["www.facebook.com", "/l.php", undefined],
    ["vk.com", "/away.php", undefined],
    ["www.dropbox.com", "/login", undefined],
    ["t.me", "/share", undefined],
    ["bit.ly", "/login", undefined],
    ["bit.ly", "/go.php", undefined],
    ["github.com", "/login/oauth/authorize", undefined],
    ["t.me", "/iv", undefined],
    ["t.me", "/proxy", undefined],
    ["medium.com", "/m/global-identity-2", undefined],
    ["bitbucket.org", "/site/oauth2/authorize", undefined],
    ["airtable.com", "/invite/l", undefined],
    ["clck.ru", "/--", undefined],
    ["youtu.be", "/watch", undefined],
    ["notion.so", "/install-integration", undefined],
    ["www.canva.com", "/design/play", undefined],
    ["www.canva.com", "/design/1/token/view", "/design/1/token"],
    // Shorteners, and their subdomains
    ["bit.ly", "/3bad", "/3bad"],
    ["bit.ly", "/3bad/", "/3bad"],
    ["bit.ly", "/3bad/more", undefined],
    ["bit.ly", "/m/bad", "/m/bad"],
    ["www.cutt.ly", "/3bad", "/3bad"],
    ["goo.gl", "/forms/1", "/forms/1"],
    ["1drv.ms", "/w/s!1", "/w/s!1"],
    ["1drv.ms", "/w/c/owner/1", "/w/c/owner/1"],
    // Links of newsletters: most name the page in the query alone
    ["trk.klclick.com", "/ls/click", undefined],
    ["r20.rs6.net", "/tn.jsp", undefined],
    ["us4.list-manage.com", "/subscribe", undefined],
    // Files, code, buckets
    ["www.mediafire.com", "/file/1/bad.zip/file", "/file/1"],
    ["www.dropbox.com", "/scl/fi/1/bad.pdf", "/scl/fi/1"],
    ["github.com", "/owner/repository", "/owner/repository"],
    ["github.com", "/owner/repository/raw/main/bad.zip", "/owner/repository/raw/main/bad.zip"],
    ["github.com", "/owner", undefined],
    ["raw.githubusercontent.com", "/owner/repository/main/bad.exe", "/owner/repository/main/bad.exe"],
    ["storage.googleapis.com", "/bucket/bad.html", "/bucket/bad.html"],
    ["ams3.digitaloceanspaces.com", "/bucket/bad.html", "/bucket/bad.html"],
    ["ipfs.io", "/ipfs/bafy1/bad.html", "/ipfs/bafy1/bad.html"],
    ["cdn.discordapp.com", "/attachments/1/2/bad.exe", "/attachments/1/2/bad.exe"],
    // Unknown hosts
    ["example.com", "/view/bad", undefined],
    ["www.paypal.com", "/signin", undefined],
    ["notbit.ly", "/3bad", undefined],
    // Hosts whose tenants differ by path: a listed page counts with another query.
    ["pagina.pro", "/3bad", "/3bad"],
    ["filedn.com", "/l3bad/index.html", "/l3bad/index.html"],
    ["dash.formaloo.com", "/app/3bad/p/4bad", "/app/3bad/p/4bad"],
    ["www.filesusr.com", "/html/3bad.html", "/html/3bad.html"],
    ["lnk.at", "/s/a/3bad", "/s/a/3bad"],
    ["form.jotformeu.com", "/91364710343351", "/91364710343351"],
    ["flowcode.com", "/p/3bad", "/p/3bad"],
    ["my.cl.ly", "/content/3bad", "/content/3bad"]
  ])("of %s and %s is %s", (host, path, content) => {
    assert.strictEqual(ContentForms.contentPath(host, path), content)
  })

  it("is the single segment on every shortener", () => {
    for (const host of Hosts.namesWith("shortener"))
      assert.strictEqual(ContentForms.contentPath(host, "/3bad"), "/3bad", host)
  })

  it("is known only for hosts that are shared", () => {
    for (const host of ["telegra.ph", "sway.office.com", "user.gofile.io", "eu.jotform.com", "app.box.com"]) {
      assert.isTrue(Hosts.isShared(host), host)
      assert.isDefined(
        ContentForms.contentPath(host, "/s/1") ??
          ContentForms.contentPath(host, "/d/1") ??
          ContentForms.contentPath(host, "/1"),
        host
      )
    }
  })
})
