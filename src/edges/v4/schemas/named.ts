import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'

/** A reference to a shared schema (one with an `$id`, added in routes.ts) that keeps its static type. */
export function named<S extends TSchema>(schema: S, description: string): TUnsafe<Static<S>> {
  return Type.Unsafe<Static<S>>({ $ref: `${String(Reflect.get(schema, '$id'))}#`, description })
}
