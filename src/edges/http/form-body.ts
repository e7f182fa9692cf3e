/**
 * Reads forms: `application/x-www-form-urlencoded` and nothing else, as browsers and OAuth clients send them. What is
 * in them is for the routes to judge.
 */
import type { FastifyRequest } from 'fastify'
import type { TypedFastify } from './typed-fastify.js'

// Enough for the longest form, which holds an address of 2048 characters and some names. Fastify answers 413 above it.
const longestForm = 16 * 1024

/** Any other content type becomes FST_ERR_CTP_INVALID_MEDIA_TYPE (415). */
export function readForms(http: TypedFastify): void {
  http.removeAllContentTypeParsers()
  http.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: longestForm },
    (_request, text, done) => done(null, new Fields(String(text))),
  )
}

/** The form of a request; an empty one when there was no body. */
export function formOf(request: FastifyRequest): Fields {
  return request.body instanceof Fields ? request.body : new Fields('')
}

/** The query of a request, as it was sent. */
export function queryOf(request: FastifyRequest): Fields {
  const { url = '' } = request.raw
  const at = url.indexOf('?')
  return new Fields(at === -1 ? '' : url.slice(at + 1))
}

/** Names and values out of a query or a form. */
export class Fields {
  readonly #text: string
  readonly #values: URLSearchParams

  constructor(text: string) {
    this.#text = text
    this.#values = new URLSearchParams(text)
  }

  /** A parameter without a value counts as left out (RFC 6749, 3.1). */
  get(name: string): string | undefined {
    return this.#values.get(name) || undefined
  }

  /** Of a parameter that may be repeated. */
  all(name: string): readonly string[] {
    return this.#values.getAll(name).filter((value) => value !== '')
  }

  /** The first of these that was sent more than once: nobody can say which one was meant. */
  repeated(names: readonly string[]): string | undefined {
    return names.find((name) => this.#values.getAll(name).length > 1)
  }

  /** The value as it was sent, percent-encoding and all. */
  raw(name: string): string | undefined {
    const pair = this.#text.split('&').find((each) => new URLSearchParams(each).has(name))
    return pair?.slice(pair.indexOf('=') === -1 ? pair.length : pair.indexOf('=') + 1)
  }
}
