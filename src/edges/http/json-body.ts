/**
 * Reads JSON bodies the way clients of the public service write them: nulls mean "absent" (gaps 2.1). What cannot be
 * read as a JSON object in UTF-8 is an UNPROCESSABLE_ENTITY.
 */
import { isUtf8 } from 'node:buffer'
import { Refusal } from '../../core/refusal.js'
import { isObject } from '../../lib/is-object.js'
import type { TypedFastify } from './typed-fastify.js'

export function readJsonBodies(http: TypedFastify): void {
  // `remove`: a body with __proto__ in it loses that key and is otherwise read as sent.
  const parse = http.getDefaultJsonParser('remove', 'remove')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    // Clients that set the content type on everything also do where nothing is expected.
    if (bytes.length === 0 && request.routeOptions.schema?.body === undefined) return done(null, undefined)
    if (bytes.length === 0) return done(unreadable('The body is empty. Send a JSON object.'))
    if (!isUtf8(bytes)) return done(unreadable('The body is not valid UTF-8.'))
    const text = bytes.toString('utf8')
    parse(request, text, (error, value) => {
      if (error) return done(unreadable('The body is not valid JSON.'))
      if (!isObject(value)) return done(unreadable('The body must be a JSON object.'))
      if (text.includes('null')) removeNulls(value)
      return done(null, value)
    })
  })
}

export function isJson(contentType: string | undefined): boolean {
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

function unreadable(message: string): Refusal {
  return new Refusal('UNPROCESSABLE_ENTITY', message)
}
