import packageJson from "../package.json" with { type: "json" }

/** What `npm start` tells the allocator, as variables of the environment. */
export const allocator: Readonly<Record<string, string>> = Object.fromEntries(
  packageJson.scripts.start.match(/MALLOC_\w+=\d+/g)?.map((setting) => setting.split("=")) ?? []
)
