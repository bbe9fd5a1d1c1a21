// Rewrites `import { Option } from "effect"` to `import * as Option from "effect/Option"` in a build. esbuild leaves unused
// functions out of the second form only (https://github.com/evanw/esbuild/issues/1420).
import { readFile } from "node:fs/promises"

const IMPORT = /^import \{([^}]*)\} from "(effect|@effect\/platform)"$/gm

/** A capital names a module, the others are functions, such as `identity`. */
const MODULE = /^([A-Z]\w*)(?: as (\w+))?$/

/** @param {string} source */
const rewritten = (source) =>
  source.replace(IMPORT, (_, names, from) =>
    names
      .split(",")
      .map((/** @type {string} */ name) => name.trim())
      .filter((/** @type {string} */ name) => name !== "" && !name.startsWith("type "))
      .map((/** @type {string} */ name) => {
        const [, module, alias = module] = MODULE.exec(name) ?? []
        return module === undefined
          ? `import { ${name} } from "${from}";`
          : `import * as ${alias} from "${from}/${module}";`
      })
      .join(" ")
  )

/** @type {import("esbuild").Plugin} */
export const effectModules = {
  name: "effect-modules",
  setup: (build) => {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: rewritten(await readFile(path, "utf8")),
      loader: "ts"
    }))
  }
}
