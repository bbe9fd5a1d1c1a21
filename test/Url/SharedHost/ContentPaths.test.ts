import { assert, describe, it } from "@effect/vitest"
import { contentPath } from "../../../src/Url/SharedHost/ContentPaths.ts"
import { shortenerNames } from "../../../src/Url/SharedHost/SharedHostNames.ts"
import * as SharedHost from "../../../src/Url/SharedHost.ts"

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
    ["notbit.ly", "/3bad", undefined]
  ])("of %s and %s is %s", (host, path, content) => {
    assert.strictEqual(contentPath(host, path), content)
  })

  it("is the single segment on every shortener", () => {
    for (const host of shortenerNames) assert.strictEqual(contentPath(host, "/3bad"), "/3bad", host)
  })

  it("is known only for hosts that are shared", () => {
    for (const host of ["telegra.ph", "sway.office.com", "user.gofile.io", "eu.jotform.com", "app.box.com"]) {
      assert.isTrue(SharedHost.isShared(host), host)
      assert.isDefined(
        contentPath(host, "/s/1") ?? contentPath(host, "/d/1") ?? contentPath(host, "/1"),
        host
      )
    }
  })
})
