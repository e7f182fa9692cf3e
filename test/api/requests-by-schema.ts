/** Random requests, made from the OpenAPI document of a service. The same seed makes the same requests. */
import { writtenOut } from '../support/openapi.js'

type Schema = Readonly<Record<string, unknown>>

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[]
  readonly responses?: Readonly<Record<string, unknown>>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

export interface OperationOf {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export interface Known {
  /** Values of parameters of paths by their name. */
  readonly path: Readonly<Record<string, string>>
  /** Values of texts by the name of their field, in our own word. */
  readonly texts: Readonly<Record<string, readonly string[]>>
  readonly nameOf: (field: string) => string
}

export function operationsIn(document: Document): readonly OperationOf[] {
  const { paths } = writtenOut(document) as Document
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** A generator of numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function requestFor(
  { method, path, operation }: OperationOf,
  document: Document,
  known: Known,
  random: () => number,
): { readonly method: string; readonly url: string; readonly body?: unknown } {
  const value = valuesFrom(document, known, random)
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(known.path[name] ?? 'none'))
  const query = new URLSearchParams()
  for (const { name, in: place, required, schema } of operation.parameters ?? []) {
    if (place !== 'query' || (!required && random() < 0.7)) continue
    for (const each of [value(schema, name)].flat()) query.append(name, String(each))
  }
  const json = operation.requestBody?.content['application/json']
  const url = query.size > 0 ? `${inPath}?${query}` : inPath
  return json ? { method, url, body: value(json.schema, '') } : { method, url }
}

function valuesFrom(document: Document, known: Known, random: () => number) {
  const pick = <Each>(from: readonly Each[]): Each => from[Math.floor(random() * from.length)] as Each

  function text(field: string, pattern: unknown): string {
    // Filters of metrics.
    if (typeof pattern === 'string' && pattern.includes('is(_not)?:')) return 'is:none'
    return pick(known.texts[known.nameOf(field)] ?? known.texts['*'] ?? ['text'])
  }

  /** Some values are of another type. */
  return function value(schema: Schema, field: string): unknown {
    if (random() < 0.02) return pick([7, true, 'none', '', {}, []])
    const { $ref, anyOf, type, enum: choices, properties, required, items } = schema
    if (typeof $ref === 'string') {
      return value(document.components.schemas[$ref.replace(/^.*\//, '')] ?? {}, field)
    }
    if (Array.isArray(choices)) return pick(choices)
    const types = [type].flat()
    if (typeof properties === 'object' && properties !== null) {
      const needed = new Set(Array.isArray(required) ? required : [])
      const fields = Object.entries(properties as Readonly<Record<string, Schema>>)
      const sent = fields.filter(([name]) => needed.has(name) || random() < 0.4)
      return Object.fromEntries(sent.map(([name, each]) => [name, value(each, name)]))
    }
    if (types.includes('array')) {
      return Array.from({ length: Math.floor(random() * 3) }, () => value((items ?? {}) as Schema, field))
    }
    if (types.includes('integer') || types.includes('number')) return Math.floor(random() * 40)
    if (types.includes('boolean')) return random() < 0.5
    if (Array.isArray(anyOf) && type === undefined) return value(pick(anyOf) as Schema, field)
    return text(field, schema.pattern)
  }
}
