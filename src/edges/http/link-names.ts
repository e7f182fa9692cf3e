/**
 * The names of the API in another word for short links, such as `bitlink_id` for `shortlink_id`. Schemas say what is a
 * name: a field, a value of an enum, and a text that is marked here. Nothing else is translated, whatever it contains.
 */
import { ownWord } from '../../core/values/link-word.js'
import { isObject } from '../../lib/is-object.js'

const mark = 'x-link-word'

/** For schemas of texts that are names of the API, such as error codes. */
export const apiName = { [mark]: 'name' } as const

/** For schemas of texts that are URLs of the API. */
export const apiUrl = { [mark]: 'url' } as const

type Rename = (text: string) => string

/** `shortlink_id` -> `bitlink_id`, `INVALID_ARG_SHORTLINK` -> `INVALID_ARG_BITLINK`, `getShortlink` -> `getBitlink` */
export function renamingTo(word: string, service = ''): Rename {
  const forms = [
    [ownWord, word] as const,
    [upper(ownWord), upper(word)] as const,
    [title(ownWord), title(word)] as const,
    // Names of schemas.
    ['ShortLink', title(word)] as const,
  ]
  return (name) => {
    const ofService = service === '' ? undefined : serviceNames.get(name)
    return ofService ? ofService(service) : forms.reduce((text, [ours, theirs]) => text.replaceAll(ours, theirs), name)
  }
}

/** Names that elsewhere have the name of the service instead of the word for its links. */
const serviceNames: ReadonlyMap<string, (service: string) => string> = new Map([
  ['shortlink_brand', (service) => `${service}_brand`],
  ['hide_logo', (service) => `hide_${service}_logo`],
  ['exclude_shortlink_logo', (service) => `exclude_${service}_logo`],
  ['shortlink_pro_domain', (service) => `${service}_pro_domain`],
  ['ALREADY_A_SHORTLINK', (service) => `ALREADY_A_${upper(service)}_LINK`],
])

function upper(word: string): string {
  return word.toUpperCase()
}

function title(word: string): string {
  return upper(word.charAt(0)) + word.slice(1)
}

/** From names as they are sent to names as they are wanted. */
export interface Direction {
  /** How a name of ours is sent, and how it is wanted. */
  readonly from: Rename
  readonly to: Rename
  /** For texts that are marked. */
  readonly name: Rename
  readonly url: Rename
}

/** Returns the value with other names; `met` is called for each name that it has. */
export type Translate = (value: unknown, met: () => void) => unknown

type Schemas = Readonly<Record<string, unknown>>

/** How values of this schema are translated; undefined if there is nothing to translate in them. */
export function translation(schema: unknown, direction: Direction, shared: Schemas = {}): Translate | undefined {
  if (!isObject(schema)) return undefined
  const { $ref, anyOf, allOf, properties, items, enum: choices } = schema
  if (typeof $ref === 'string') return translation(shared[idIn($ref)], direction, shared)
  const kind = schema[mark]
  if (kind === 'name' || kind === 'url') return ofText(direction[kind])
  const parts = [
    ofChoices(Array.isArray(choices) ? choices : [schema.const], direction),
    isObject(properties) ? ofFields(properties, direction, shared) : undefined,
    ofItems(translation(items, direction, shared)),
    ...[anyOf, allOf].flat().map((each) => translation(each, direction, shared)),
  ].filter((part) => part !== undefined)
  if (parts.length <= 1) return parts[0]
  return (value, met) => parts.reduce((translated, part) => part(translated, met), value)
}

/** `ShortLink#` in routes, `#/components/schemas/ShortLink` in the OpenAPI document. */
function idIn(reference: string): string {
  return reference.replace(/#$/, '').replace(/^.*\//, '')
}

function ofText(rename: Rename): Translate {
  return (value, met) => {
    const renamed = typeof value === 'string' ? rename(value) : value
    if (renamed !== value) met()
    return renamed
  }
}

function ofChoices(choices: readonly unknown[], { from, to }: Direction): Translate | undefined {
  const names = choices.filter((each) => typeof each === 'string').filter(isNamed)
  if (names.length === 0) return undefined
  const wanted = new Map<unknown, string>(names.map((name) => [from(name), to(name)]))
  return (value, met) => {
    const renamed = wanted.get(value)
    if (renamed === undefined) return value
    met()
    return renamed
  }
}

/** A single value of a list in a query arrives without a list. */
function ofItems(item: Translate | undefined): Translate | undefined {
  return item && ((value, met) => (Array.isArray(value) ? value.map((each) => item(each, met)) : item(value, met)))
}

interface Field {
  readonly to: string
  readonly isNamed: boolean
  readonly inner: Translate | undefined
}

function ofFields(properties: Schemas, direction: Direction, shared: Schemas): Translate | undefined {
  const fields = new Map<string, Field>()
  for (const [name, schema] of Object.entries(properties)) {
    const inner = translation(schema, direction, shared)
    const to = direction.to(name)
    // Some have the name of the service instead of the word.
    const hasName = isNamed(name) || direction.from(name) !== to
    const field = { to, isNamed: hasName, inner }
    if (field.isNamed || inner) fields.set(direction.from(name), field)
  }
  if (fields.size === 0) return undefined
  return (value, met) => (isObject(value) ? withFields(value, fields, met) : value)
}

function withFields(value: Schemas, fields: ReadonlyMap<string, Field>, met: () => void): Schemas {
  const keys = Object.keys(value)
  if (!keys.some((key) => fields.has(key))) return value
  const renamed: Record<string, unknown> = {}
  for (const key of keys) {
    const field = fields.get(key)
    if (field === undefined) {
      renamed[key] = value[key]
      continue
    }
    if (field.isNamed) met()
    // Of a field that is sent in two words, the one that needs no translation counts.
    if (field.to !== key && Object.hasOwn(value, field.to)) continue
    renamed[field.to] = field.inner ? field.inner(value[key], met) : value[key]
  }
  return renamed
}

/** Whether a name of ours has the word. */
export function isNamed(name: string): boolean {
  return name.toLowerCase().includes(ownWord)
}

/** All names in a schema or a list of schemas: fields, and values of enums. */
export function namesIn(schema: unknown, names = new Set<string>()): Set<string> {
  for (const each of Array.isArray(schema) ? schema : []) namesIn(each, names)
  if (!isObject(schema)) return names
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isObject(value)) for (const name of Object.keys(value)) names.add(name)
    const choices = key === 'enum' && Array.isArray(value) ? value : key === 'const' ? [value] : []
    for (const name of choices) if (typeof name === 'string') names.add(name)
    namesIn(value, names)
  }
  return names
}

/** A schema, or an OpenAPI document, with other names. */
export function schemaIn(schema: unknown, direction: Direction, shared: Schemas = {}): unknown {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, each]) => [key, change(key, each, value)] as const)
    return Object.fromEntries(entries)
  }
  const change = (key: string, value: unknown, holder: Schemas): unknown => {
    if (key === 'properties' || key === 'paths' || key === 'schemas')
      return isObject(value) ? withKeys(value, direction.to, walk) : value
    if (namedValues.has(key)) return Array.isArray(value) ? value.map(renamed) : renamed(value)
    if (key === 'name' && 'in' in holder) return renamed(value)
    // Those of routes have ids instead, which are not renamed.
    if (key === '$ref' && String(value).startsWith('#/')) return renamed(value)
    if (key === 'description' || key === 'summary') return typeof value === 'string' ? inText(value) : walk(value)
    if (key === 'example') return withNames(translated(holder.schema, value))
    if (key === 'examples' && Array.isArray(value)) return value.map((each) => translated(holder, each))
    return walk(value)
  }
  const renamed = (value: unknown) => (typeof value === 'string' ? direction.to(value) : walk(value))
  const inText = (text: string) => text.replace(/`[^`]*`/g, direction.to)
  const translated = (of: unknown, value: unknown) => translation(of, direction, shared)?.(value, () => {}) ?? value
  // Answers of v3 have no schema: all keys of their examples are names.
  const withNames = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withNames)
    return isObject(value) ? withKeys(value, direction.to, withNames) : value
  }
  return walk(schema)
}

/** Keys of schemas and operations whose value is a name of ours, or a list of names. */
const namedValues: ReadonlySet<string> = new Set(['required', 'enum', 'const', 'default', 'operationId'])

function withKeys(holder: Schemas, rename: Rename, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(holder).map(([name, value]) => [rename(name), change(value)]))
}
