// Not from the index of @effect/platform, which also loads its servers.
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { type Array as Arr, Schema } from "effect"

export const text = (description: string) => Schema.String.annotations({ description })
export const int = (description: string) => Schema.Int.annotations({ description })
export const flag = (description: string) => Schema.Boolean.annotations({ description })

interface Annotations<A> {
  /** 200 by default. */
  readonly status?: number
  /** Of the response in the OpenAPI document. */
  readonly description?: string
  readonly jsonSchema?: object
  readonly examples?: Arr.NonEmptyReadonlyArray<A>
}

/**
 * The arguments that make a `Schema.Class` the schema of a body. The examples are checked against the fields, because the
 * arguments of a class cannot refer to it.
 */
export const body = <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  annotations: Annotations<Schema.Struct.Type<Fields>>
) =>
  [
    fields,
    HttpApiSchema.annotations<unknown>({ ...annotations }) as { readonly examples: readonly [never] }
  ] as const
