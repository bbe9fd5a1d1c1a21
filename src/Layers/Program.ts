import packageJson from "../../package.json" with { type: "json" }

export const { name, version } = packageJson

/** The user agent: `url-threat-scoring/0.1.0`. */
export const nameAndVersion = `${name}/${version}`
