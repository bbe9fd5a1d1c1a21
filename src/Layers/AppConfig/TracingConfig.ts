import { Config, ConfigError, Duration, Either, Option, Redacted } from "effect"
import * as Program from "../Program.ts"
import { matching, oneOf, or, text, variable, wholeNumber, withoutCredentials } from "./Variable.ts"

const exporters = ["otlp", "none"] as const
const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** The export of traces, configured by OpenTelemetry's variables (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */
export interface TracingConfig {
  /** The whole address for traces. May contain a key: never log it. */
  readonly url: URL
  /** May contain keys. */
  readonly headers: Redacted.Redacted<Pairs>
  /** Of one request. */
  readonly timeout: Duration.Duration
  readonly serviceName: string
  readonly resourceAttributes: Pairs
  readonly sampler: {
    /** Whether the decision of a caller's `traceparent` is used, if there is one. */
    readonly isParentBased: boolean
    /** The part of the other traces that is exported, from 0 to 1. */
    readonly ratio: number
  }
}

const switches = (raw: string) =>
  oneOf(["true", "false"])(raw.toLowerCase()).pipe(Either.map((choice) => choice === "true"))

const decoded = (text: string): Option.Option<string> => Option.liftThrowable(decodeURIComponent)(text.trim())

/** `name=value,name=value`, values percent-encoded. The error repeats no value, which may be a key. */
const pairs = (isName: RegExp, isValue: RegExp) => (raw: string) =>
  Option.all(
    raw.split(",").map((pair) => {
      const at = pair.indexOf("=")
      const name = pair.slice(0, Math.max(at, 0)).trim()
      return Option.map(
        Option.filter(decoded(pair.slice(at + 1)), (value) => isName.test(name) && isValue.test(value)),
        (value) => [name, value] as const
      )
    })
  ).pipe(Either.fromOption(() => 'must be pairs such as "name=value,other=value%20two"'))

/** The characters that RFC 9110 allows in a header. */
const headers = pairs(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, /^[\x20-\x7e]*$/)
const attributes = pairs(/^[\x21-\x7e]+$/, /^[^\p{Cc}]*$/u)

const fraction = (raw: string) =>
  Either.map(
    matching(/^(?:1(?:\.0{1,15})?|0(?:\.\d{1,15})?|\.\d{1,15})$/, "must be a number from 0 to 1")(raw),
    Number
  )

/** The address for traces, from the base address. */
const tracesAddress = (base: URL): URL => {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/+$/, "")}/v1/traces`
  return url
}

/** The only supported protocol: JSON over HTTP, which every collector accepts at its address for HTTP. */
const SUPPORTED_PROTOCOL = "http/json"
const protocol = oneOf([SUPPORTED_PROTOCOL, "http/protobuf", "grpc"])

const address = withoutCredentials("keys belong into OTEL_EXPORTER_OTLP_HEADERS")

/** OpenTelemetry's default. */
const DEFAULT_TIMEOUT_MS = 10_000
const MAX_TIMEOUT_MS = 3_600_000
const timeout = wholeNumber(1, MAX_TIMEOUT_MS)

/** None without an address. Invalid values are errors in any case; an unsupported protocol only when traces are on. */
export const environment: Config.Config<Option.Option<TracingConfig>> = Config.all({
  isDisabled: variable("OTEL_SDK_DISABLED", switches).pipe(or(false)),
  exporter: variable("OTEL_TRACES_EXPORTER", oneOf(exporters)).pipe(or<(typeof exporters)[number]>("otlp")),
  base: variable("OTEL_EXPORTER_OTLP_ENDPOINT", address),
  own: variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", address),
  protocol: variable("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
  tracesProtocol: variable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", protocol),
  headers: variable("OTEL_EXPORTER_OTLP_HEADERS", headers),
  tracesHeaders: variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS", headers),
  timeout: variable("OTEL_EXPORTER_OTLP_TIMEOUT", timeout).pipe(or(DEFAULT_TIMEOUT_MS)),
  tracesTimeout: variable("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", timeout),
  serviceName: variable("OTEL_SERVICE_NAME", text),
  resourceAttributes: variable("OTEL_RESOURCE_ATTRIBUTES", attributes).pipe(or<Pairs>([])),
  sampler: variable("OTEL_TRACES_SAMPLER", oneOf(samplers)).pipe(
    or<(typeof samplers)[number]>("parentbased_always_on")
  ),
  ratio: variable("OTEL_TRACES_SAMPLER_ARG", fraction).pipe(or(1))
}).pipe(
  Config.mapOrFail(({ isDisabled, exporter, base, own, sampler, ratio, ...read }) => {
    const url = Option.orElse(own, () => Option.map(base, tracesAddress))
    if (isDisabled || exporter === "none" || Option.isNone(url)) return Either.right(Option.none())
    const requested = Option.orElse(
      Option.map(read.tracesProtocol, (name) => ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", name] as const),
      () => Option.map(read.protocol, (name) => ["OTEL_EXPORTER_OTLP_PROTOCOL", name] as const)
    )
    if (Option.isSome(requested) && requested.value[1] !== SUPPORTED_PROTOCOL)
      return Either.left(
        ConfigError.InvalidData(
          [requested.value[0]],
          `must be ${SUPPORTED_PROTOCOL}, the only protocol that is supported`
        )
      )
    const named = read.resourceAttributes.find(([name]) => name === "service.name")?.[1]
    return Either.right(
      Option.some({
        url: url.value,
        headers: Redacted.make(
          Option.getOrElse(
            Option.orElse(read.tracesHeaders, () => read.headers),
            (): Pairs => []
          )
        ),
        timeout: Duration.millis(Option.getOrElse(read.tracesTimeout, () => read.timeout)),
        serviceName: Option.getOrElse(read.serviceName, () => named ?? Program.name),
        resourceAttributes: read.resourceAttributes.filter(([name]) => name !== "service.name"),
        sampler: {
          isParentBased: sampler.startsWith("parentbased_"),
          ratio: sampler.endsWith("always_off") ? 0 : sampler.endsWith("always_on") ? 1 : ratio
        }
      })
    )
  })
)
