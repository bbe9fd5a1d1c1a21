import { Config, Duration, Either, Option, Redacted } from "effect"
import * as Program from "../Program.ts"
import { matching, oneOf, optional, text, variable, wholeNumber, withoutCredentials } from "./Variable.ts"

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

const switches = (raw: string) =>
  oneOf(["true", "false"])(raw.toLowerCase()).pipe(Either.map((choice) => choice === "true"))

/** `name=value,name=value`, values percent-encoded. The error repeats no value, which may be a key. */
const pairs = (isName: RegExp, isValue: RegExp) => (raw: string) =>
  Either.filterOrLeft(
    Either.try(() =>
      raw.split(",").map((pair) => {
        const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
        return [name.trim(), decodeURIComponent(value.trim())] as const
      })
    ),
    (all) => all.every(([name, value]) => isName.test(name) && isValue.test(value)),
    () => "not of these characters"
  ).pipe(Either.mapLeft(() => 'must be pairs such as "name=value,other=value%20two"'))

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

const address = withoutCredentials("put keys into OTEL_EXPORTER_OTLP_HEADERS")

const MAX_TIMEOUT_MS = 3_600_000

/**
 * The export of traces, configured by some of OpenTelemetry's variables
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). None without an address.
 */
export const environment = Config.all({
  isDisabled: variable("OTEL_SDK_DISABLED", switches),
  exporter: variable("OTEL_TRACES_EXPORTER", oneOf(["otlp", "none"])),
  base: optional("OTEL_EXPORTER_OTLP_ENDPOINT", address),
  own: optional("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", address),
  headers: optional("OTEL_EXPORTER_OTLP_HEADERS", headers),
  timeout: variable("OTEL_EXPORTER_OTLP_TIMEOUT", wholeNumber(1, MAX_TIMEOUT_MS)),
  serviceName: optional("OTEL_SERVICE_NAME", text),
  resourceAttributes: optional("OTEL_RESOURCE_ATTRIBUTES", attributes),
  sampler: variable("OTEL_TRACES_SAMPLER", oneOf(samplers)),
  ratio: variable("OTEL_TRACES_SAMPLER_ARG", fraction)
}).pipe(
  Config.map(({ isDisabled, exporter, base, own, sampler, ratio, ...read }) =>
    Option.orElse(own, () => Option.map(base, tracesAddress)).pipe(
      Option.filter(() => !isDisabled && exporter !== "none"),
      Option.map((url) => ({
        /** The whole address for traces. May contain a key: never log it. */
        url,
        /** May contain keys. */
        headers: Redacted.make(Option.getOrElse(read.headers, () => [])),
        /** Of one request. */
        timeout: Duration.millis(read.timeout),
        /** The attributes of the resource by name: what the operator sets replaces ours. */
        resource: new Map([
          ["service.name", Program.name],
          ["service.version", Program.version],
          ...Option.getOrElse(read.resourceAttributes, () => []),
          ...Option.toArray(Option.map(read.serviceName, (name) => ["service.name", name] as const))
        ]),
        sampler: {
          /** Whether the decision of a caller's `traceparent` is used, if there is one. */
          isParentBased: sampler.startsWith("parentbased_"),
          /** The part of the other traces that is exported, from 0 to 1. */
          ratio: sampler.endsWith("always_off") ? 0 : sampler.endsWith("always_on") ? 1 : ratio
        }
      }))
    )
  )
)

export type TracingConfig = Option.Option.Value<Config.Config.Success<typeof environment>>
