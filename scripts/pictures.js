// Makes the pictures of the README anew (`npm run pictures`): starts the service without lists, and needs Chromium on the PATH.
// With the name of a folder it writes them there.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { build, root } from "./build.js"
import { executablePath, launchOptions } from "./chromium.js"
import { startService } from "./service.js"

const MESSAGE = `Your parcel is waiting. Questions? https://www.example.com/help
Pay the fee now: http://paypa1-secure.example/login`

const VIEWPORT = { width: 860, height: 620 }

const environment = {
  FEED_A_URL: "off",
  FEED_B_URL: "off",
  FEED_C_URL: "off",
  FEED_D_URL: "off",
  POPULAR_URL: "off"
}

if (executablePath === undefined) {
  console.error("Chromium is not on the PATH.")
  process.exit(1)
}
const folder = process.argv[2] ?? join(root, "docs/images")
mkdirSync(folder, { recursive: true })
await build()
const { address, stop } = await startService(environment)
const browser = await chromium.launch(launchOptions)
try {
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "light" })
  await page.goto(address)
  await page.screenshot({ path: join(folder, "page.png") })
  await page.fill("#text", MESSAGE)
  await page.press("#text", "Enter")
  await page.waitForSelector("#result[data-outcome]:not([hidden])")
  await page.locator("#result").screenshot({ path: join(folder, "verdict.png") })
} finally {
  await browser.close()
  await stop()
}
