/** The reputation lookup against a Safe Browsing with millions of hashes, in each mode, and while that is down. */
import { cost, requestsOut } from "./ReputationChecks.ts"
import { memoryAndUpdates } from "./ReputationLists.ts"
import { outage } from "./ReputationOutage.ts"
import { google, jsonFile, MODES, report } from "./ReputationSetup.ts"
import { fleet, starts } from "./ReputationStarts.ts"

const sections: Readonly<Record<string, () => Promise<void>>> = {
  requestsOut,
  memoryAndUpdates,
  starts,
  fleet,
  cost,
  outage: async () => {
    for (const mode of MODES) await outage(mode)
  }
}
const only = process.env.SECTIONS?.split(",")
for (const [name, run] of Object.entries(sections)) if (only?.includes(name) ?? true) await run()
google.stop()
report.write(jsonFile)
process.exit(0)
