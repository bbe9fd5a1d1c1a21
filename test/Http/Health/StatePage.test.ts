import { assert, describe, it } from "@effect/vitest"
import * as StatePage from "../../../src/Http/Health/StatePage.ts"
import { exampleOf } from "../../fixtures/OpenApiDocument.ts"

const ready = exampleOf("/health/ready", "get", "Ready") as Parameters<typeof StatePage.response>[0]

describe("the page of state", () => {
  it.each([
    ["2026-12-30T00:00:00.000Z", "up to date"],
    ["2026-12-30T00:00:00.001Z", "old"]
  ])("at %s says of weights that have learned up to 2026-06-30: %s", (now, state) => {
    const { body } = StatePage.response(ready, Date.parse(now), true)
    assert.include(
      String(body),
      `<li data-state="${state}"><div><strong>Text of links</strong><br><span class="muted">heuristics</span></div>
<div><span class="state">${state}</span><br><span class="muted">learned from phishing up to 2026-06-30</span></div></li>`
    )
  })
})
