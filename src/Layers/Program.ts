import packageJson from "../../package.json" with { type: "json" }

/** The program's name and version, as others see it: `url-threat-scoring/0.1.0`. */
export const nameAndVersion = `${packageJson.name}/${packageJson.version}`
