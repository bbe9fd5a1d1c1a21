/** Programs of the benchmark in processes of their own, so that they do not delay the load generator. */
import { fork } from "node:child_process"
import { join } from "node:path"

/** Starts a bundled program, which sends where it listens, and then one result for each command. */
export const start = async <Listening, Command, Result>(file: string) => {
  const child = fork(join(import.meta.dirname, file), { execArgv: [] })
  process.once("exit", () => child.kill("SIGTERM"))
  const message = <A>() =>
    new Promise<A>((resolve, reject) => {
      const ended = () => reject(new Error(`${file} ended`))
      child.once("exit", ended)
      child.once("message", (message) => {
        child.off("exit", ended)
        resolve(message as A)
      })
    })
  return {
    listening: await message<Listening>(),
    /** Runs one command. One at a time. */
    run: (command: Command): Promise<Result> => {
      const answer = message<Result>()
      child.send(command as never)
      return answer
    },
    stop: () => {
      child.kill("SIGTERM")
    }
  }
}
