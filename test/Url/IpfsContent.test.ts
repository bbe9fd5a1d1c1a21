import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as IpfsContent from "../../src/Url/IpfsContent.ts"

/** The spellings of one name, from https://cid.ipfs.tech. */
const CID = "bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
const CID_V0 = "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n"
const CID_BASE_36 = "k2jmtxx1epa2wl096hsbpuhrz9xhppklonehzwkmskc9rmeb51kwn4ut"

describe("IpfsContent", () => {
  it.each([
    [`https://ipfs.io/ipfs/${CID}`, `https://${CID}.ipfs/`],
    [`https://gateway.example/ipfs/${CID_V0}/a/b.html?c`, `https://${CID}.ipfs/a/b.html?c`],
    [`http://127.0.0.1:8080/ipfs/${CID_BASE_36}/`, `http://${CID}.ipfs/`],
    [`https://${CID}.ipfs.dweb.link/a`, `https://${CID}.ipfs/a`],
    [`https://${CID_BASE_36}.ipfs.dweb.link/`, `https://${CID}.ipfs/`],
    [`https://ipfs.io/ipns/${CID}/a`, `https://${CID}.ipns/a`],
    [`ipfs://${CID}/a`, `ipfs://${CID}.ipfs/a`],
    [`ipns://${CID_BASE_36}`, `ipns://${CID}.ipns/`],
    // What a page adds to its own path is not another name.
    [`https://${CID}.ipfs.dweb.link/ipfs/${CID_V0}`, `https://${CID}.ipfs/ipfs/${CID_V0}`],
    // The name of a domain, of one letter more, in other letters, or somewhere else.
    ["https://ipfs.io/ipns/docs.ipfs.tech/a", undefined],
    [`https://ipfs.io/ipfs/${CID}a`, undefined],
    [`https://ipfs.io/ipfs/${CID_V0.toLowerCase()}`, undefined],
    [`https://${CID}.example.com/`, undefined],
    [`https://a.${CID}.ipfs.dweb.link/`, undefined],
    [`https://example.com/a/ipfs/${CID}`, undefined],
    ["https://docs.ipfs.tech/", undefined],
    ["ipns://docs.ipfs.tech/", undefined]
  ])("is, of %s, %s", (url, content) => {
    const found = IpfsContent.contentOf(Either.getOrThrow(CanonicalUrl.parse(url)))
    assert.strictEqual(found && CanonicalUrl.format(found), content)
  })
})
