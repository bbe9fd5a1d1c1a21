// Commits new weights on a branch, with the text of the gate in the model card: `node scripts/propose-weights.js gate.md`.
// With --push it also pushes the branch and opens a pull request with that text, by `gh`.
import { spawnSync } from "node:child_process"
import { readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

const WEIGHTS = "src/Checkers/Heuristics/Model/model.bin"
const CARD = "training/MODEL_CARD.md"
const TITLE = "Renew the weights of the heuristics"
const HEADING = "## Last renewal"

/**
 * The model card with this text as its section on the last renewal, which is the last one.
 *
 * @param {string} card
 * @param {string} text
 */
export const withRenewal = (card, text) => {
  const at = card.indexOf(`\n${HEADING}\n`)
  return `${(at === -1 ? card : card.slice(0, at)).trimEnd()}\n\n${HEADING}\n\n${text.trim()}\n`
}

/**
 * The branch of a renewal. A workflow that is run again has the same id, and its branch may exist.
 *
 * @param {Date} now
 * @param {NodeJS.ProcessEnv} environment
 */
export const branchOf = (now, { GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT }) =>
  [
    "retrain/",
    now.toISOString().slice(0, 10),
    GITHUB_RUN_ID && `-${GITHUB_RUN_ID}-${GITHUB_RUN_ATTEMPT}`
  ].join("")

/** Its output. Ends the process if the program fails. @param {string} command @param {ReadonlyArray<string>} args */
const run = (command, ...args) => {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"]
  })
  if (status !== 0) {
    console.error(`${command} ${args[0]} failed`)
    process.exit(1)
  }
  return stdout.trim()
}

const propose = (/** @type {string} */ textFile, /** @type {boolean} */ isPushed) => {
  if (run("git", "status", "--porcelain", "--", WEIGHTS) === "") {
    console.log("The weights are the same: nothing to propose")
    return
  }
  const text = readFileSync(textFile, "utf8")
  const branch = branchOf(new Date(), process.env)
  run("git", "switch", "--quiet", "--create", branch)
  const card = join(root, CARD)
  writeFileSync(card, withRenewal(readFileSync(card, "utf8"), text))
  run("git", "add", "--", WEIGHTS, CARD)
  run(
    "git",
    "commit",
    "--quiet",
    "--message",
    TITLE,
    "--message",
    "The model card has the comparison with the weights before."
  )
  console.log(`${branch}: ${run("git", "log", "-1", "--format=%h %s")}`)
  if (!isPushed) return
  run("git", "push", "--quiet", "origin", branch)
  console.log(run("gh", "pr", "create", "--head", branch, "--title", TITLE, "--body-file", textFile))
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const [textFile, option] = process.argv.slice(2)
  if (textFile === undefined || (option !== undefined && option !== "--push")) {
    console.error("node scripts/propose-weights.js <text of the gate> [--push]")
    process.exit(1)
  }
  propose(textFile, option === "--push")
}
