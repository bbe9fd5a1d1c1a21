/** Checks as the service is deployed: with a cache database behind its REST interface, and with a key. All on loopback. */
import { load } from "./DeployedLoad.ts"
import { memory } from "./DeployedMemory.ts"
import { google, redis, report } from "./DeployedSetup.ts"

const [, , , jsonFile = ""] = process.argv

const sections: Readonly<Record<string, () => Promise<void>>> = { load, memory }
const only = process.env.SECTIONS?.split(",")
for (const [name, run] of Object.entries(sections)) if (only?.includes(name) ?? true) await run()
redis.stop()
google.stop()
report.write(jsonFile)
process.exit(0)
