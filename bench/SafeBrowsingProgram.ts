/** The program of `SafeBrowsing.ts`. */
import { Effect } from "effect"
import * as SafeBrowsingLists from "../test/fixtures/SafeBrowsingLists.ts"
import * as SafeBrowsingServer from "../test/fixtures/SafeBrowsingServer.ts"
import type { Command, Counts, Listening } from "./SafeBrowsing.ts"

const run = (server: SafeBrowsingServer.SafeBrowsingServer, command: Command) => {
  switch (command._tag) {
    case "PublishThreats": {
      const { name, entries, replaced, expressions } = command
      const bulk = SafeBrowsingLists.bulk(entries)
      const changed =
        replaced === 0
          ? bulk
          : SafeBrowsingLists.union(
              SafeBrowsingLists.without(bulk, SafeBrowsingLists.bulk(replaced)),
              SafeBrowsingLists.bulk(entries + replaced, entries)
            )
      server.lists.publishExpressions(name, expressions, changed)
      return server.lists.prepare(name)
    }
    case "PublishLikelySafe":
      server.lists.publishExpressions("gc-32b", command.expressions)
      return server.lists.prepare("gc-32b")
    case "SetWait":
      for (const name of SafeBrowsingLists.NAMES) server.lists.setWait(name, command.seconds)
      return
    case "ForgetVersions":
      server.lists.forgetVersions(command.name)
      return server.lists.prepare(command.name)
    case "Behave":
      return server.behave(command.behaviour)
    case "Count":
      return
  }
}

const program = Effect.gen(function* () {
  const server = yield* SafeBrowsingServer.make({ cacheDuration: 3600 })
  const counts = (): Counts => ({
    searches: server.received.length,
    prefixes: server.received.reduce((sum, { prefixes }) => sum + prefixes.length, 0),
    updates: server.lists.received.length,
    lastUpdateAt: server.lists.received.at(-1)?.at ?? 0
  })
  process.on("message", (command) => {
    run(server, command as Command)
    process.send?.(counts())
  })
  const listening: Listening = { url: server.url.href }
  process.send?.(listening)
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(program))
