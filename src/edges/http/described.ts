/** What the OpenAPI description says beyond the schemas of the routes: what queries and bodies may leave empty. */
import type { NeededScope } from '../../core/accounts/scopes.js'
import { isObject } from '../../lib/is-object.js'
import { allowsNoBody } from './validation.js'

/** For routes that read their arguments themselves: their schemas are for the document alone. */
export const documentOnly = { validatorCompiler: () => (value: unknown) => ({ value }) }

/**
 * The scopes of which a token needs one. Not in `security`: there, all of the scopes would be needed, and tokens of this
 * kind have none.
 */
export function scopesIn(needed: NeededScope) {
  return needed === 'any' ? {} : { 'x-scopes': [needed].flat() }
}

/** Says in words what `x-scopes` says to programs. */
function withScopes(operation: JsonObject): JsonObject {
  const { 'x-scopes': scopes, description = '' } = operation
  if (!Array.isArray(scopes)) return operation
  const sentence = `Needs the scope ${scopes.map((name) => `\`${name}\``).join(' or ')}.`
  return { ...operation, description: `${String(description)} ${sentence}`.trim() }
}

export function described(document: unknown): unknown {
  return rewritten(document, (holder) => {
    const shown = withScopes(orAbsent(holder))
    const body = isObject(shown.requestBody) ? shown.requestBody : undefined
    if (!body) return shown
    const required = !Object.values(Object(body.content)).some((content) => allowsNoBody(Object(content).schema))
    return { ...shown, requestBody: { ...Object(rewritten(body, withEmptyFields)), required } }
  })
}

/** In a query an empty value is an absent one (validation.ts), for which OpenAPI has a word. */
function orAbsent(parameter: JsonObject): JsonObject {
  const { in: place, required, schema } = parameter
  if (place !== 'query' || required === true || !isObject(schema)) return parameter
  return { ...parameter, allowEmptyValue: true, schema: schema.type === 'string' ? orEmpty(schema) : schema }
}

/** In a body null means absent, and so does an empty string in an optional field (validation.ts). */
function withEmptyFields(schema: JsonObject): JsonObject {
  const { properties, required, title } = schema
  if (!isObject(properties)) return schema
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    needed.has(name) || !isObject(field) ? field : orNull(orEmpty(field)),
  ])
  // A schema that bodies and answers share becomes two.
  const named = typeof title === 'string' && { title: `${title}Input` }
  return { ...schema, ...named, properties: Object.fromEntries(fields) }
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
