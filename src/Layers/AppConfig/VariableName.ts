const slots = ["A", "B", "C", "D"] as const
const feedSettings = ["URL", "NAME", "FORMAT", "AUTH_HEADER", "REFRESH", "RETENTION"] as const

const feedVariables = slots.flatMap((slot) =>
  feedSettings.map((setting) => `FEED_${slot}_${setting}` as const)
)

/** Every variable that the configuration reads. docs/configuration.md explains them. */
export const variableNames = [
  "PORT",
  "ADMIN_PORT",
  "HOST",
  "TRUSTED_PROXIES",
  "MAX_CONNECTIONS_PER_ADDRESS",
  "CORS_ORIGINS",
  "RATE_LIMIT",
  "RATE_LIMIT_WINDOW",
  "CHECKER_TIMEOUT",
  "CONTACT_URL",
  "DATA_DIR",
  "LOG_LEVEL",
  "LOG_FORMAT",
  "CACHE_REST_URL",
  "CACHE_REST_TOKEN",
  "CACHE_TIMEOUT",
  "REPUTATION_API_KEY",
  "REPUTATION_API_URL",
  "REPUTATION_MODE",
  "REPUTATION_LISTS",
  ...feedVariables,
  "POPULAR_URL",
  "POPULAR_FORMAT",
  "POPULAR_REFRESH",
  "ALLOW_LIST",
  "BLOCK_LIST",
  "MODEL_FILE",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_PROTOCOL",
  "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  "OTEL_EXPORTER_OTLP_TIMEOUT",
  "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
  "OTEL_SERVICE_NAME",
  "OTEL_RESOURCE_ATTRIBUTES",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
  "OTEL_TRACES_EXPORTER",
  "OTEL_SDK_DISABLED"
] as const

export type VariableName = (typeof variableNames)[number]

const known: ReadonlySet<string> = new Set(variableNames)

/** Whether an error must not repeat the value: it may contain a key or a personal address. CONTACT_URL is one of these. */
export const isConfidential = (name: string): boolean =>
  /_(?:URL|TOKEN|KEY|AUTH_HEADER)$/.test(name) || name.startsWith("OTEL_")

const OUR_PREFIX = /^(?:FEED_|CACHE_REST|REPUTATION|RATE)/

/** Set by Kubernetes and Docker for other services that they run. */
const INJECTED = /_SERVICE_HOST$|_PORT$|_PORT_/

/** Whether one text becomes the other by one character more, less or different, or by two neighbours that change places. */
const isOneEditAway = (one: string, other: string): boolean => {
  if (one.length > other.length) return isOneEditAway(other, one)
  if (other.length - one.length > 1) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  if (one.length < other.length) return one.slice(at) === other.slice(at + 1)
  if (one.slice(at + 1) === other.slice(at + 1)) return true
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2)
}

/** A variable that nothing reads, and that looks like one of ours. */
export interface UnknownVariable {
  readonly name: string
  /** Our names that are one edit away; empty if only its beginning is like that of ours. */
  readonly similar: ReadonlyArray<VariableName>
}

/** The variables among these names that are probably misspelt. */
export const unknownVariables = (names: Iterable<string>): ReadonlyArray<UnknownVariable> =>
  Array.from(names).flatMap((name) => {
    if (known.has(name) || INJECTED.test(name)) return []
    const similar = variableNames.filter((ours) => isOneEditAway(name, ours))
    return similar.length > 0 || OUR_PREFIX.test(name) ? [{ name, similar }] : []
  })
