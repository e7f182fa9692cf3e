import { type Static, type TSchema, type TSchemaOptions, type TUnsafe, Type } from 'typebox'
import type { ShownAddress } from '../../../core/domains/domains.js'
import { maxNamedLinks } from '../../../core/links/named-links.js'
import { bounds } from '../../http/validation.js'
import { addressBounds } from './bounds.js'

/** A timestamp in a response (docs/api/README.md#timestamps). */
export function moment(example?: string) {
  const description = 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`'
  return Type.String({ description, ...(example !== undefined && { examples: [example] }) })
}

export function optionalText(description: string, options: object = {}) {
  return Type.Optional(Type.String({ ...options, description }))
}

export function optionalFlag(description: string, options: object = {}) {
  return Type.Optional(Type.Boolean({ ...options, description }))
}

/** Whether the mail of this request was sent. A mail that the server refuses is an error instead. */
export const mailDelivery = Type.Enum(['sent', 'not_sent'], {
  type: 'string',
  description: '`sent`: the mail server accepted the mail; `not_sent`: the service has no mail server',
  examples: ['sent'],
})

/** A reference to a shared schema (one with an `$id`, added in routes.ts) that keeps its static type. */
export function named<S extends TSchema>(schema: S, description: string): TUnsafe<Static<S>> {
  return Type.Unsafe<Static<S>>({ $ref: `${String(Reflect.get(schema, '$id'))}#`, description })
}

/** The same of an answer that has the ETag of the object, as GET sends it. */
export function tagged<S extends TSchema>(schema: S, description: string): TUnsafe<Static<S>> {
  const ETag = { type: 'string', description: 'Of the object now, for `If-Match`' }
  return Type.Unsafe<Static<S>>({ ...named(schema, description), headers: { ETag } })
}

/** The id of a short link in a response. The type accepts only ids formatted by `Domains.shown`. */
export function shownAddress(options: TSchemaOptions) {
  return Type.Unsafe<ShownAddress>(Type.String(options))
}

/** Short links that a read is about, in its body. */
export const namedLinks = Type.Array(Type.String(addressBounds), {
  ...bounds({ minItems: 1, maxItems: maxNamedLinks }),
  description: `Ids of 1 to ${maxNamedLinks} short links of the group`,
})

/** One of these texts. */
export function choice<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number]>(Type.Enum([...values], { type: 'string', description }))
}

export function optionalChoice<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Optional(choice(values, description))
}
