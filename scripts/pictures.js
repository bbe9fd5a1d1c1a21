// Makes the pictures of the README anew (`npm run pictures`): starts the service without lists, and needs Chromium on the PATH.
// With the name of a folder it writes them there.
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { buildIfStale, main, root } from "./build.js"
import { executablePath, launchOptions } from "./chromium.js"

const MESSAGE = `Your parcel is waiting. Questions? https://www.example.com/help
Pay the fee now: http://paypa1-secure.example/login`

const VIEWPORT = { width: 860, height: 620 }

const data = mkdtempSync(join(tmpdir(), "url-threat-scoring-"))

const environment = {
  PATH: process.env.PATH,
  HOST: "127.0.0.1",
  PORT: "0",
  DATA_DIR: data,
  FEED_A_URL: "off",
  FEED_B_URL: "off",
  FEED_C_URL: "off",
  FEED_D_URL: "off",
  POPULAR_URL: "off"
}

/** @returns {Promise<{ address: string, service: import("node:child_process").ChildProcess }>} */
const start = () =>
  new Promise((resolve, reject) => {
    const service = spawn(process.execPath, [main], {
      env: environment,
      stdio: ["ignore", "pipe", "inherit"]
    })
    let printed = ""
    service.stdout.on("data", (text) => {
      printed += text
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
      if (address !== undefined) resolve({ address, service })
    })
    service.once("exit", () => reject(new Error(printed)))
  })

if (executablePath === undefined) {
  console.error("Chromium is not on the PATH.")
  process.exit(1)
}
const folder = process.argv[2] ?? join(root, "docs/images")
mkdirSync(folder, { recursive: true })
await buildIfStale()
const { address, service } = await start()
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
  service.kill()
  rmSync(data, { recursive: true })
}
