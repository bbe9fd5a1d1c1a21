// Rewrites `import { Option } from "effect"` to `import * as Option from "effect/Option"` in a build: esbuild drops unused
// functions only in the second form (https://github.com/evanw/esbuild/issues/1420).
import { readFile } from "node:fs/promises"

/** Without comments. */
const IMPORT = /^import \{([^}/]*)\} from "(effect|@effect\/platform)"$/gm

/** A name with a capital is a module; the others, such as `identity`, are functions. */
const MODULE = /^([A-Z]\w*)(?: as (\w+))?$/

const NOT_LINE_BREAK = /[^\n]/g

/** @param {string} source */
const rewritten = (source) =>
  source.replace(IMPORT, (_, names, from) => {
    const imports = names
      .split(",")
      .map((/** @type {string} */ name) => name.trim())
      .filter((/** @type {string} */ name) => name !== "" && !name.startsWith("type "))
      .map((/** @type {string} */ name) => {
        const [, module, alias = module] = MODULE.exec(name) ?? []
        return module === undefined
          ? `import { ${name} } from "${from}";`
          : `import * as ${alias} from "${from}/${module}";`
      })
    // The line numbers of errors stay right.
    return imports.join(" ") + names.replace(NOT_LINE_BREAK, "")
  })

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
