/**
 * Reads JSON bodies the way clients write them: null means absent, and so does an empty string in an optional field
 * (docs/api/README.md#empty-strings-and-null). What cannot be read as a JSON object in UTF-8 is an UNPROCESSABLE_ENTITY. Where no body is wanted,
 * whatever is sent will do.
 */
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/values/refusal.js'
import { isObject } from '../../lib/is-object.js'
import type { TypedFastify } from './typed-fastify.js'

export function readJsonBodies(http: TypedFastify): void {
  // `remove`: a body with __proto__ in it loses that key and is otherwise read as sent.
  const parse = http.getDefaultJsonParser('remove', 'remove')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    // Asked of the few alone: a request takes a third of a microsecond to say what its route wants.
    const refuse = (message: string) => done(wantsBody(request) ? new Refusal('UNPROCESSABLE_ENTITY', message) : null)
    if (bytes.length === 0) return refuse('The body is empty. Send a JSON object.')
    if (!isUtf8(bytes)) return refuse('The body is not valid UTF-8.')
    const text = bytes.toString('utf8')
    // It answers through its callback; the promise in its type is for parsers that have none.
    void parse(request, text, (error, value) => {
      if (error) return refuse('The body is not valid JSON.')
      if (!isObject(value)) return refuse('The body must be a JSON object.')
      if (text.includes('null')) removeNulls(value)
      if (text.includes('""')) removeEmptyStrings(value, request.routeOptions.schema?.body)
      return done(null, value)
    })
  })
  // Where a body is wanted, another type was refused before.
  http.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _bytes: Buffer, done) => done(null, undefined))
}

/** Not DELETE, and not the few POSTs that only set something off. Clients send them bodies all the same. */
export function wantsBody({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.schema?.body !== undefined
}

export function isJson(contentType: string | undefined): boolean {
  // Nearly everybody spells it like this.
  if (contentType === 'application/json') return true
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json'
}

/** With a list of its own instead of recursion: a body may be nested half a million levels deep. */
function removeNulls(body: Record<string, unknown>): void {
  const waiting: object[] = [body]
  for (let holder = waiting.pop(); holder; holder = waiting.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      if (value === null && !Array.isArray(holder)) Reflect.deleteProperty(holder, key)
      if (typeof value === 'object' && value !== null) waiting.push(value)
    }
  }
}

/** For fields in which an empty string says something: that the value they have is removed. */
export const emptyRemoves = { 'x-empty-removes': true } as const

/** As deep as the schema says: what it does not describe means nothing anyway. A required field is the schema's to refuse. */
function removeEmptyStrings(holder: Record<string, unknown>, schema: unknown): void {
  const { properties = {}, required = [] } = Object(schema) as ObjectSchema
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(holder, name) ? holder[name] : undefined
    if (value === '') {
      if (!required.includes(name) && !property['x-empty-removes']) Reflect.deleteProperty(holder, name)
    } else if (Array.isArray(value)) {
      if (property.items?.properties)
        for (const each of value.filter(isObject)) removeEmptyStrings(each, property.items)
    } else if (isObject(value)) removeEmptyStrings(value, property)
  }
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>
  readonly required?: readonly string[]
}

interface PropertySchema extends ObjectSchema {
  readonly items?: ObjectSchema
  readonly 'x-empty-removes'?: boolean
}
