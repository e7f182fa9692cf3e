/**
 * What the schemas of routes become. Answers are written by them. Requests are checked against them, strictly: a number
 * where text is wanted is refused, not converted; only query strings, in which everything is text, are read as the
 * integers, booleans and lists their schema names. The code for each schema is made when it is first needed: making all of
 * it took half of the time in which the service starts, and most services use a little of it.
 */
import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import type { FastifyError, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Check } from 'typebox/value'
import { isObject } from '../../lib/is-object.js'

export const buildSerializer: SerializerSelector.SerializerFactory = (sharedSchemas, options) => {
  const compile = SerializerSelector()(sharedSchemas, options)
  return (route) => {
    let serialize: SerializerSelector.Serializer | undefined
    return (answer) => {
      serialize ??= compile(route)
      return serialize(answer)
    }
  }
}

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let check: Validator | undefined
  const properties = 'properties' in schema ? (schema.properties as Readonly<Record<string, TSchema>>) : {}
  return (sent: unknown) => {
    const value = httpPart === 'querystring' ? readQuery(sent as Readonly<Record<string, unknown>>, properties) : sent
    check ??= Compile(schema)
    return check.Check(value) ? { value } : { error: firstFault(schema, properties, value) ?? check.Errors(value) }
  }
}

/**
 * The argument that is missing, or else the first that is wrong. The library looks for every fault there is: with half
 * a million in one list it stops the process for a second.
 */
function firstFault(
  schema: TSchema,
  properties: Readonly<Record<string, TSchema>>,
  value: unknown,
): Fault[] | undefined {
  if (!isObject(value)) return undefined
  const required = 'required' in schema ? (schema.required as readonly string[]) : []
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  if (missing.length > 0) return [fault('required', '', { requiredProperties: missing })]
  for (const [name, property] of Object.entries(properties)) {
    if (Object.hasOwn(value, name) && !Check(property, value[name])) return [fault('properties', `/${name}`)]
  }
  return undefined
}

type Fault = NonNullable<FastifyError['validation']>[number]

function fault(keyword: string, instancePath: string, params: Fault['params'] = {}): Fault {
  return { keyword, instancePath, params, schemaPath: `#/${keyword}${instancePath}`, message: 'is not what is wanted' }
}

function readQuery(
  sent: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, TSchema>>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(sent)) {
    // An empty value is an absent one: clients send `unit_reference=` (docs/api/README.md#requests).
    if (text === '') continue
    const type = Object.hasOwn(properties, name) ? Reflect.get(properties[name] ?? {}, 'type') : undefined
    // A parameter that may be repeated arrives as text when it was sent once.
    if (type === 'array') query[name] = [text].flat().filter((each) => each !== '')
    else query[name] = typeof text === 'string' ? readValue(text, type) : text
  }
  return query
}

function readValue(text: string, type: unknown): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
