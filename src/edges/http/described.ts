/**
 * What the OpenAPI description says beyond the schemas that requests are checked by. Core checks lengths, sizes and shapes
 * itself, with codes of its own and in its own order, so a schema carries them as a note: the validator does not know the
 * word and leaves them alone.
 */
import { isObject } from '../../lib/is-object.js'

export interface Bounds {
  /** For what is no JSON, such as a file in a form. */
  readonly type?: string
  readonly minLength?: number
  readonly maxLength?: number
  /** Read by every regular expression engine: no look-around, no \p, no named groups. */
  readonly pattern?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly object[]
  /** For lists whose items are checked one by one. */
  readonly items?: object
  readonly examples?: readonly unknown[]
}

const note = 'x-bounds'

/** Bounds that core enforces, for the options of a schema. */
export function bounds(keywords: Bounds) {
  return { [note]: keywords }
}

/**
 * Fields of a body that depend on each other, for the options of its schema: one of these combinations. Each names
 * fields with what they must be, such as `present` or `absent`.
 */
export function together(...combinations: readonly Readonly<Record<string, object>>[]) {
  return bounds({
    anyOf: combinations.map((properties) => {
      const required = Object.keys(properties).filter((name) => properties[name] !== absent)
      return { properties, required }
    }),
  })
}

export function present(type: 'array' | 'boolean' | 'object' | 'string') {
  return { type, ...(type === 'array' && { minItems: 1 }), ...(type === 'string' && { minLength: 1 }) }
}

/** What means the same as nothing (validation.ts). */
export const absent = { enum: ['', null] }

/** For routes that read their arguments themselves: their schemas are for the document alone. */
export const documentOnly = { validatorCompiler: () => (value: unknown) => ({ value }) }

/** The description with every note written out, and with what queries and bodies may leave empty. */
export function described(document: unknown): unknown {
  return rewritten(document, (holder) => {
    const shown = orAbsent(writtenOut(holder))
    const body = isObject(shown.requestBody) ? shown.requestBody : undefined
    return body ? { ...shown, requestBody: rewritten(body, withEmptyFields) } : shown
  })
}

function writtenOut(holder: JsonObject): JsonObject {
  const { [note]: keywords, ...rest } = holder
  if (!isObject(keywords)) return holder
  // Notes of parameters are put beside their schemas.
  return isObject(rest.schema) ? { ...rest, schema: { ...rest.schema, ...keywords } } : { ...rest, ...keywords }
}

/** In a query an empty value is an absent one (validation.ts), for which OpenAPI has a word. */
function orAbsent(parameter: JsonObject): JsonObject {
  const { in: place, required, schema } = parameter
  if (place !== 'query' || required === true || !isObject(schema)) return parameter
  return { ...parameter, allowEmptyValue: true, schema: schema.type === 'string' ? orEmpty(schema) : schema }
}

/** In a body null means absent, and so does an empty string in an optional field (validation.ts). */
function withEmptyFields(schema: JsonObject): JsonObject {
  const { properties, required } = schema
  if (!isObject(properties)) return schema
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    needed.has(name) || !isObject(field) ? field : orNull(orEmpty(field)),
  ])
  return { ...schema, properties: Object.fromEntries(fields) }
}

function orEmpty({ minLength: _, ...field }: JsonObject): JsonObject {
  const { type, pattern, anyOf } = field
  if (Array.isArray(anyOf) && type === undefined) return { ...field, anyOf: [...anyOf, { enum: [''] }] }
  if (typeof type !== 'string') return field
  // A bound of texts alone: of the other type it says nothing.
  if (type !== 'string') return { ...field, type: [type, 'string'], maxLength: 0 }
  return {
    ...field,
    ...(Array.isArray(field.enum) && { enum: [...field.enum, ''] }),
    ...(typeof pattern === 'string' && !new RegExp(pattern).test('') && { pattern: `^$|${pattern}` }),
  }
}

function orNull(field: JsonObject): JsonObject {
  const { type, anyOf } = field
  if (Array.isArray(anyOf) && type === undefined) return { ...field, anyOf: [...anyOf, { type: 'null' }] }
  if (type === undefined) return field
  return {
    ...field,
    type: [type, 'null'].flat(),
    ...(Array.isArray(field.enum) && { enum: [...field.enum, null] }),
  }
}

type JsonObject = Readonly<Record<string, unknown>>

/** From the leaves up. */
function rewritten(value: unknown, change: (holder: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((each) => rewritten(each, change))
  if (!isObject(value)) return value
  const inner = Object.entries(value).map(([name, each]) => [name, rewritten(each, change)])
  return change(Object.fromEntries(inner))
}
