import {
  addMore,
  database,
  ENTRIES,
  localList,
  noStorage,
  ROUNDS,
  report,
  round,
  servers,
  start
} from "./DeployedSetup.ts"
import * as Servers from "./Servers.ts"

/** Checks before memory is measured a second time. */
const SERVED = 5_000

/** Resident memory at rest, of three settings. */
export const memory = async () => {
  const kinds = [
    ["without database and key", {}],
    ["with database and key, no-storage", { ...database, ...noStorage }],
    ["with database and key, local-list", { ...database, ...localList }]
  ] as const
  // A process that has not served yet has a small young generation, unless it has written its lists to the database.
  const states = ["right after the start", `after ${SERVED.toLocaleString("en")} checks`] as const
  const rounds = states.map(() => kinds.map((): Array<number> => []))
  for (let i = 0; i < ROUNDS; i++) {
    const services = await Promise.all(kinds.map(([, environment]) => start(environment)))
    for (const [state] of states.entries()) {
      if (state > 0)
        for (const { pid, port } of services)
          await round({ name: "", pid, port }, servers.checked, 16, { amount: SERVED })
      const least = await Promise.all(services.map(Servers.memoryAtRest))
      for (const [kind, megabytes] of least.entries()) rounds[state]?.[kind]?.push(megabytes)
    }
    await Promise.all(services.map((service) => service.stop()))
  }
  for (const [state, when] of states.entries()) {
    const measured = rounds[state] ?? []
    report.section(`Resident memory at rest ${when}, ${ENTRIES.toLocaleString("en")} list entries`)
    for (const [kind, [name]] of kinds.entries()) {
      report.add(name, "MB", measured[kind] ?? [])
      if (kind > 0) addMore("  more (goal: at most 20)", "MB", measured[kind] ?? [], measured[0] ?? [])
    }
  }
}
