/** How operations describe themselves for the OpenAPI document. Nothing here checks a request. */
import { type TSchema, Type } from 'typebox'
import type { Value } from './envelope.js'

/** What the OpenAPI document says about an operation. */
export interface About {
  readonly summary: string
  readonly description: string
  readonly query?: Readonly<Record<string, TSchema>>
  /** An example of `data`. */
  readonly data: Value
}

/** An argument of the query, with a value to try. */
export function argument(description: string, example: string) {
  return Type.String({ description, examples: [example] })
}

/** An argument that may repeat. */
export function repeated(description: string, example: string) {
  return Type.Array(Type.String(), { description, examples: [[example]] })
}

export function choice(description: string, ...values: readonly string[]) {
  return Type.Optional(Type.String({ description, enum: [...values] }))
}

export function flag(description: string) {
  return choice(description, 'true', 'false')
}

export function integer(description: string, minimum: number, maximum: number) {
  return Type.Optional(Type.Integer({ description, minimum, maximum }))
}

export function optional(description: string) {
  return Type.Optional(Type.String({ description }))
}

export const link = argument('The short URL', 'https://go.example.com/3xYz12A')

export const items = {
  shortUrl: Type.Optional(repeated('1 to 15 short URLs; or `hash`', 'https://go.example.com/3xYz12A')),
  hash: Type.Optional(Type.Array(Type.String(), { description: '1 to 15 hashes; or `shortUrl`' })),
}

export const limit = (most: number, preset: number) => integer(`Rows; ${preset} by default`, 1, most)

/** The arguments of reports (docs/api/v3.md#windows). */
export const windowQuery = {
  unit: choice('`day` by default', 'minute', 'hour', 'day', 'week', 'month'),
  units: integer('How many; -1, the default, is all', -1, 50_000),
  timezone: optional('Hours from UTC, or a name such as `Europe/Paris`; `America/New_York` by default'),
  unit_reference_ts: optional('The end of the window in epoch seconds; now by default'),
}

export const rollup = flag('One total instead of a list; true by default')

/** What answers say about a window, in examples. */
export const windowExample = { tz_offset: -5, unit: 'day', units: 30 }

/** The names of a link, in examples. */
export const itemExample = {
  short_url: 'https://go.example.com/3xYz12A',
  user_hash: '3xYz12A',
  global_hash: '9aBc34D',
}
