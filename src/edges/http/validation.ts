/**
 * Reads and checks requests by the schemas of their routes: JSON bodies, and query strings, whose text becomes integers,
 * booleans and lists where the schema says so. Nothing else is converted: a number where text is expected is an error.
 * `null`, and an empty string in an optional field, mean absent (docs/api/README.md#empty-strings-and-null).
 */
import { isUtf8 } from 'node:buffer'
import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import type { FastifyError, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Check } from 'typebox/value'
import { Refusal } from '../../core/values/refusal.js'
import { isObject } from '../../lib/is-object.js'
import type { TypedFastify } from './typed-fastify.js'

const compressed = 'Compressed bodies are not supported. Send the JSON as it is, without Content-Encoding.'

/** Bodies must be JSON objects in UTF-8; routes without a body schema ignore what is sent. */
export function readJsonBodies(http: TypedFastify): void {
  // `remove`: drops the key __proto__ and reads the rest.
  const parse = http.getDefaultJsonParser('remove', 'remove')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    const refuse = (message: string) => done(wantsBody(request) ? new Refusal('UNPROCESSABLE_ENTITY', message) : null)
    if (bytes.length === 0) return refuse('The body is empty. Send a JSON object.')
    if (!isUtf8(bytes)) return refuse(request.headers['content-encoding'] ? compressed : 'The body is not valid UTF-8.')
    const text = bytes.toString('utf8')
    // Calls back; the promise in its type is for parsers without a callback.
    void parse(request, text, (error, value) => {
      if (error) return refuse('The body is not valid JSON.')
      // Of all JSON values only an object begins with a brace.
      if (!text.trimStart().startsWith('{')) return refuse('The body must be a JSON object.')
      if (text.includes('null')) removeNulls(value)
      if (text.includes('""')) removeEmptyStrings(value, request.routeOptions.schema?.body)
      return done(null, value)
    })
  })
  // Routes with a body schema have already refused other content types.
  http.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _bytes: Buffer, done) => done(null, undefined))
}

/** False for DELETE and for the few POSTs without fields; clients send bodies to them all the same. */
export function wantsBody({ routeOptions, headers }: FastifyRequest): boolean {
  const body = routeOptions.schema?.body
  if (!allowsNoBody(body)) return body !== undefined
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  return encoding !== undefined || length !== '0'
}

/** Of a body whose fields are all optional: a request without it is as good as one with `{}`. */
export const mayBeMissing = { 'x-may-be-missing': true }

export function allowsNoBody(body: unknown): boolean {
  return isObject(body) && body['x-may-be-missing'] === true
}

export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || mediaTypeOf(contentType) === 'application/json'
}

/** Without parameters, in lower case; empty when there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  return contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Without recursion: a body may be nested half a million levels deep. */
function removeNulls(body: object): void {
  const stack: object[] = [body]
  for (let holder = stack.pop(); holder; holder = stack.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      if (value === null && !Array.isArray(holder)) Reflect.deleteProperty(holder, key)
      if (typeof value === 'object' && value !== null) stack.push(value)
    }
  }
}

/** For schemas of fields in which an empty string removes the current value. */
export const emptyRemoves = { 'x-empty-removes': true } as const

/** Only in fields that the schema describes. Required fields are left for the schema to refuse. */
function removeEmptyStrings(holder: Readonly<Record<string, unknown>>, schema: unknown): void {
  const { properties = {}, required = [] } = objectForm(Object(schema))
  for (const name of Object.keys(holder)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    const value = holder[name]
    if (property === undefined) continue
    if (value === '') {
      if (!required.includes(name) && !property['x-empty-removes']) Reflect.deleteProperty(holder, name)
    } else if (Array.isArray(value)) {
      if (property.items?.properties)
        for (const each of value.filter(isObject)) removeEmptyStrings(each, property.items)
    } else if (isObject(value)) removeEmptyStrings(value, property)
  }
}

/** Of a field that is an object or something else, the object. */
function objectForm(schema: ObjectSchema): ObjectSchema {
  return schema.anyOf?.find((each) => each.properties) ?? schema
}

interface ObjectSchema {
  readonly anyOf?: readonly ObjectSchema[]
  readonly properties?: Readonly<Record<string, PropertySchema>>
  readonly required?: readonly string[]
}

interface PropertySchema extends ObjectSchema {
  readonly items?: ObjectSchema
  readonly 'x-empty-removes'?: boolean
}

/** For parts of a body that are checked one by one. Changes the object. */
export function withoutEmptyStrings<Fields extends object>(fields: Fields, schema: TSchema): Fields {
  removeEmptyStrings(fields as Readonly<Record<string, unknown>>, schema)
  return fields
}

/** Returns what is wrong with a value, as Fastify would report it of a body. */
export function checkWith(schema: TSchema): (value: unknown) => readonly object[] | undefined {
  const check = validatorCompiler({ schema, method: 'POST', url: '', httpPart: 'body' })
  return (value) => (check(value) as { readonly error?: readonly object[] }).error
}

// Validators and serializers are compiled on first use: compiling all of them took half of the time to start.

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let checked: { readonly schema: TSchema; readonly validator: Validator } | undefined
  return (sent: unknown) => {
    const isQuery = httpPart === 'querystring'
    const value = isQuery ? readQuery(sent as Readonly<Record<string, unknown>>, propertiesOf(schema)) : sent
    checked ??= compiled(withoutCoreBounds(schema) as TSchema)
    const { validator } = checked
    return validator.Check(value) ? { value } : { error: firstFault(checked.schema, value) ?? validator.Errors(value) }
  }
}

function compiled(schema: TSchema) {
  return { schema, validator: Compile(schema) }
}

const ofCore = 'x-of-core'

/**
 * Keywords of a schema that core enforces, because the answer is documented: which code a value gets, and after which
 * other checks. Core also counts characters where JSON Schema libraries count other things. The validator leaves these
 * keywords to core; whatever else a schema says it refuses itself, with INVALID_ARG_ and the name of the field.
 * `instead`: what the validator checks in their place.
 */
export function bounds<Keywords extends object>(keywords: Keywords, instead: Partial<Keywords> = {}) {
  const left = Object.fromEntries(Object.keys(keywords).map((keyword) => [keyword, undefined]))
  return { ...keywords, [ofCore]: { ...left, ...instead } }
}

function withoutCoreBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutCoreBounds)
  if (!isObject(schema)) return schema
  const { [ofCore]: instead, ...keywords } = schema
  const checked = Object.entries({ ...keywords, ...Object(instead) }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(checked.map(([keyword, value]) => [keyword, withoutCoreBounds(value)]))
}

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

/**
 * The missing fields, or else the first invalid one. TypeBox would collect every error: half a million in one list blocked
 * the process for a second.
 */
function firstFault(schema: TSchema, value: unknown): Fault[] | undefined {
  if (!isObject(value)) return undefined
  const required = 'required' in schema ? (schema.required as readonly string[]) : []
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  if (missing.length > 0) return [fault('required', '', { requiredProperties: missing })]
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    if (Object.hasOwn(value, name) && !Check(property, value[name]))
      return [innermost(property, value[name], `/${name}`)]
  }
  return undefined
}

/** The fault with its path through nested objects. */
function innermost(schema: TSchema, value: unknown, path: string): Fault {
  const [inner] = firstFault(objectForm(schema), value) ?? []
  return inner ? { ...inner, instancePath: path + inner.instancePath } : fault('properties', path)
}

function propertiesOf(schema: TSchema): Readonly<Record<string, TSchema>> {
  return 'properties' in schema ? (schema.properties as Readonly<Record<string, TSchema>>) : {}
}

type Fault = NonNullable<FastifyError['validation']>[number]

function fault(keyword: string, instancePath: string, params: Fault['params'] = {}): Fault {
  return { keyword, instancePath, params, schemaPath: `#/${keyword}${instancePath}`, message: 'is invalid' }
}

function readQuery(
  sent: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, TSchema>>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(sent)) {
    // Clients send `unit_reference=` for an absent value (docs/api/README.md#requests).
    if (text === '') continue
    const type = Object.hasOwn(properties, name) ? Reflect.get(properties[name] ?? {}, 'type') : undefined
    // A list parameter that was sent once arrives as text.
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
