/**
 * Other words for short links (docs/api/README.md#other-names-for-links): a request may say `bitlink` where the API says
 * `shortlink`, and is answered in the word that it used. Everything comes from the routes and their schemas: here is the
 * only place that knows of other words, and the routes see and send our own names. Nothing of this is set up without a word.
 */
import type { IncomingMessage } from 'node:http'
import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import type { FastifyRequest, preSerializationHookHandler, preValidationHookHandler, RouteOptions } from 'fastify'
import type { Actor } from '../../core/accounts/actor.js'
import { chosenWord, type LinkWordChoice, linkWordChoice, ownWord } from '../../core/values/link-word.js'
import { isObject } from '../../lib/is-object.js'
import { OperatorError } from '../../lib/operator-error.js'
import { type Direction, isNamed, namesIn, renamingTo, schemaIn, translation } from './link-names.js'
import type { TypedFastify } from './typed-fastify.js'
import { buildSerializer, withoutEmptyStrings } from './validation.js'

export interface LinkWordOptions {
  /** `bitlink`, or `bitlink:bitly` with the name of the service where names have that. */
  readonly words: readonly string[]
  /** Requests that show no word are answered in the first one. */
  readonly isDefault: boolean
}

declare module 'node:http' {
  interface IncomingMessage {
    /** The word in the path of the request, if it is not ours. */
    linkWord?: string
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The word in the query or the body of the request. */
    linkWord?: string | undefined
  }
  interface FastifyInstance {
    /** Set if other words for short links are configured. */
    linkWords?: LinkWords
  }
}

export type NameInWord = (name: string) => string

/** For answers without a schema, which says what is a name elsewhere. */
export function namesFor(request: FastifyRequest): NameInWord {
  const { linkWords } = request.server
  return linkWords ? (name) => linkWords.name(request, name) : same
}

/** The answer to a request that used another word. The serializers of routes know what to do with it. */
class InWord {
  constructor(
    readonly word: string,
    readonly answer: unknown,
  ) {}

  /** For an answer without a schema. */
  toJSON(): unknown {
    return this.answer
  }
}

export class LinkWords {
  readonly words: readonly string[]
  readonly #choice: LinkWordChoice
  readonly #paths: PathWords
  readonly #directions: ReadonlyMap<string, { readonly understand: Direction; readonly answer: Direction }>
  readonly #names = new Set<string>()

  constructor({ words, isDefault }: LinkWordOptions) {
    const named = words.map((each) => each.split(':'))
    this.words = named.map(([word = '']) => word)
    this.#choice = linkWordChoice(words, isDefault)
    this.#paths = new PathWords(this.words)
    this.#directions = new Map(
      named.map(([word = '', service]) => {
        const theirs = renamingTo(word, service)
        // Only whole words: `short` is another word, but not in `shorten`.
        const whole = new RegExp(`(?<![a-z])${word}(?=s?(?![a-z]))`, 'g')
        const ours = (text: string) => text.replace(whole, ownWord)
        const url = (text: string) => this.#paths.inWord(text, word)
        return [
          word,
          {
            understand: { from: theirs, to: same, name: ours, url: same },
            answer: { from: same, to: theirs, name: theirs, url },
          },
        ]
      }),
    )
  }

  /** The URL in our own word. Remembers the word that it had. */
  readUrl(request: IncomingMessage, url: string): string {
    return this.#paths.read(request, url)
  }

  /** Must be called before routes are added, because it collects them. */
  install(http: TypedFastify): void {
    http.decorateRequest('linkWord', undefined)
    http.addHook('onRoute', (route) => {
      const isInPath = this.#paths.add(route.url)
      for (const name of namesIn(route.schema)) this.#names.add(name)
      const understand = this.#understand(route, isInPath)
      if (understand) route.preValidation = [understand, ...[route.preValidation ?? []].flat()]
      if (route.schema?.response === undefined) return
      const inWord: preSerializationHookHandler<unknown> = (request, _reply, answer, done) => {
        const word = this.#wordOf(request, isInPath)
        done(null, word === undefined ? answer : new InWord(word, answer))
      }
      route.preSerialization = [...[route.preSerialization ?? []].flat(), inWord]
    })
    http.addHook('onReady', async () => {
      for (const word of this.words) this.#requireFree(word)
    })
  }

  /** Like `buildSerializer`, for answers in other words too. */
  readonly buildSerializer: SerializerSelector.SerializerFactory = (sharedSchemas, options) => {
    const shared = Object(sharedSchemas) as Readonly<Record<string, unknown>>
    for (const name of namesIn(shared)) this.#names.add(name)
    const compile = buildSerializer(sharedSchemas, options)
    const compilers = new Map<string, SerializerSelector.SerializerCompiler>()
    const compileIn = (word: string, { answer }: { readonly answer: Direction }, route: RouteDefinition) => {
      const known = compilers.get(word) ?? SerializerSelector()(schemasIn(shared, answer), options)
      compilers.set(word, known)
      const serialize = known({ ...route, schema: schemaIn(route.schema, answer) })
      const translate = translation(route.schema, answer, shared) ?? same
      return (sent: unknown) => serialize(translate(sent, ignore))
    }
    return (route) => {
      const serialize = compile(route)
      const inWords = new Map<string, SerializerSelector.Serializer>()
      return (sent) => {
        if (!(sent instanceof InWord)) return serialize(sent)
        const { word, answer } = sent
        const known = inWords.get(word)
        if (known) return known(answer)
        const direction = this.#directions.get(word)
        if (!direction) return serialize(answer)
        const compiled = compileIn(word, direction, route)
        inWords.set(word, compiled)
        return compiled(answer)
      }
    }
  }

  /** For an answer that is serialized outside of Fastify's hooks. */
  answer(request: FastifyRequest, answer: unknown): unknown {
    const word = this.#wordOf(request, this.#paths.hasOwnWord(request.url))
    return word === undefined ? answer : new InWord(word, answer)
  }

  /** For a name of ours in an answer without a schema. */
  name(request: FastifyRequest, name: string): string {
    const word = this.#wordOf(request, this.#paths.hasOwnWord(request.url))
    return word === undefined ? name : (this.#directions.get(word)?.answer.to(name) ?? name)
  }

  /** An OpenAPI document in one of the words. */
  document(document: object, word: string): unknown {
    const direction = this.#directions.get(word)
    const { components }: { components?: { schemas?: Readonly<Record<string, unknown>> } } = document
    return direction ? schemaIn(document, direction.answer, components?.schemas) : document
  }

  /** Undefined for our own. */
  #wordOf({ raw, linkWord, headers, actor }: Sender, isInPath: boolean): string | undefined {
    if (raw.linkWord !== undefined) return raw.linkWord
    if (isInPath) return undefined
    // The pages of the service itself, which have a session instead of a token, know our own names.
    const isPage = headers.cookie !== undefined && headers.authorization === undefined
    const word = linkWord ?? (isPage ? ownWord : chosenWord(this.#choice, actor?.answersIn))
    return word === ownWord ? undefined : word
  }

  /** Undefined for a route without names in query and body. */
  #understand({ schema }: RouteOptions, isInPath: boolean): preValidationHookHandler | undefined {
    const body = jsonOf(schema?.body)
    const own: Direction = { from: same, to: same, name: same, url: same }
    const readers = [...this.words, ...(isInPath ? [] : [ownWord])].flatMap((word) => {
      const direction = this.#directions.get(word)?.understand ?? own
      const [ofQuery, ofBody] = [translation(schema?.querystring, direction), translation(body, direction)]
      return ofQuery || ofBody ? [{ word, ofQuery, ofBody }] : []
    })
    if (readers.length === 0) return undefined
    return (request, _reply, done) => {
      for (const { word, ofQuery, ofBody } of readers) {
        let isMet = false
        const met = () => {
          isMet = true
        }
        if (ofQuery) request.query = ofQuery(request.query, met)
        if (ofBody && isObject(request.body)) request.body = ofBody(request.body, met)
        if (!isMet) continue
        request.linkWord ??= word
        // Only fields with our own names were looked at when the body was read.
        if (ofBody && word !== ownWord && isObject(request.body)) withoutEmptyStrings(request.body, Object(body))
      }
      done()
    }
  }

  #requireFree(word: string): void {
    const names = new Set([...this.#names, ...this.#paths.names])
    const rename = renamingTo(word)
    const taken = [...names]
      .filter(isNamed)
      .map(rename)
      .find((name) => names.has(name))
    if (taken === undefined) return
    throw new OperatorError(
      `linkWord: "${word}" cannot be another word for short links, because "${taken}" is a name of the API already. Choose another word.`,
      2,
    )
  }
}

type RouteDefinition = Parameters<SerializerSelector.SerializerCompiler>[0]

/** Errors may come before the actor is known. */
type Sender = Pick<FastifyRequest, 'raw' | 'linkWord' | 'headers'> & { readonly actor?: Pick<Actor, 'answersIn'> }

function same<Value>(value: Value): Value {
  return value
}

function ignore(): void {}

/** The schema of a JSON body, also where other types are accepted. */
function jsonOf(body: unknown): unknown {
  const content = isObject(body) && isObject(body.content) ? body.content['application/json'] : undefined
  return isObject(content) ? content.schema : body
}

function schemasIn(schemas: Readonly<Record<string, unknown>>, direction: Direction): object {
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, schemaIn(schema, direction)]))
}

/** Where in paths a word may be: only where a route has ours, so never in an id. */
class PathWords {
  readonly #words: readonly string[]
  /** Static segments of all routes. */
  readonly names = new Set<string>()
  /** By what follows the word in its segment: patterns of what comes before it. */
  readonly #places = new Map<string, Set<string>>()
  #patterns: { readonly theirs: RegExp; readonly ours: RegExp }[] | undefined

  constructor(words: readonly string[]) {
    this.#words = words
  }

  /** Returns whether the route has our word. */
  add(route: string): boolean {
    this.#patterns = undefined
    const segments = route.split('/')
    for (const [at, segment] of segments.entries()) {
      if (!isStatic(segment)) continue
      this.names.add(segment)
      if (!segment.includes(ownWord)) continue
      const [before = '', after = ''] = segment.split(ownWord)
      const path = [...segments.slice(0, at).map(patternOf), before].join('/')
      this.#places.set(after, (this.#places.get(after) ?? new Set()).add(path))
    }
    return segments.some((segment) => isStatic(segment) && segment.includes(ownWord))
  }

  /** Whether a URL has our word. */
  hasOwnWord(url: string): boolean {
    return this.#compiled().some(({ ours }) => ours.test(url))
  }

  read(request: IncomingMessage, url: string): string {
    // Most requests without the word end here.
    if (!this.#words.some((word) => url.includes(word))) return url
    for (const { theirs } of this.#compiled()) {
      const found = theirs.exec(url)
      if (!found) continue
      const [, before = '', word = ''] = found
      request.linkWord = word
      return before + ownWord + url.slice(before.length + word.length)
    }
    return url
  }

  /** A URL of ours, with or without the origin. */
  inWord(url: string, word: string): string {
    const [origin = ''] = /^https?:\/\/[^/]*/.exec(url) ?? []
    const path = url.slice(origin.length)
    const found = this.#compiled().flatMap(({ ours }) => ours.exec(path) ?? [])
    const [, before] = found
    return before === undefined ? url : origin + before + word + path.slice(before.length + ownWord.length)
  }

  #compiled() {
    this.#patterns ??= [...this.#places].map(([after, places]) => {
      const pattern = (words: readonly string[]) =>
        new RegExp(`^(${[...places].join('|')})(${words.join('|')})(?=${after}(?:[/?#]|$))`)
      return { theirs: pattern(this.#words), ours: pattern([ownWord]) }
    })
    return this.#patterns
  }
}

function isStatic(segment: string): boolean {
  return !segment.startsWith(':') && segment !== '*'
}

function patternOf(segment: string): string {
  return isStatic(segment) ? segment.replace(/[^\w-]/g, '\\$&') : '[^/?#]+'
}
