import { fetchOwn, type Session } from './session.js'

interface Media {
  readonly schema?: Schema
}

export type Content = Readonly<Record<string, Media>>

interface Reference {
  readonly $ref: string
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly schema?: Schema
}

export interface Answer {
  readonly description?: string
  readonly content?: Content
}

export interface ApiOperation<AParameter = Parameter> {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly tags?: readonly string[]
  readonly parameters?: readonly AParameter[]
  readonly security?: readonly object[]
  readonly requestBody?: { readonly content: Content }
  readonly responses?: Readonly<Record<string, Answer | Reference>>
}

type Paths<AParameter> = Readonly<Record<string, Readonly<Record<string, ApiOperation<AParameter>>>>>

export interface ApiDocument<AParameter = Parameter> {
  readonly info?: { readonly title?: string; readonly description?: string; readonly version?: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly parameters?: Readonly<Record<string, Parameter>>
    readonly responses?: Readonly<Record<string, Answer>>
  }
  readonly paths: Paths<AParameter>
  readonly webhooks?: Paths<AParameter>
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

/** The document with all parameters in their operations: those that several share are references. */
export function withParameters(document: ApiDocument<Parameter | Reference>): ApiDocument {
  const shared = document.components.parameters ?? {}
  const own = (parameter: Parameter | Reference) =>
    '$ref' in parameter ? (shared[nameOf(parameter.$ref)] ?? []) : parameter
  const whole = (paths: Paths<Parameter | Reference>) =>
    mapped(paths, (operations) =>
      mapped(operations, ({ parameters = [], ...rest }) => ({ ...rest, parameters: parameters.flatMap(own) })),
    )
  return { ...document, paths: whole(document.paths), webhooks: whole(document.webhooks ?? {}) }
}

function mapped<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

function nameOf(reference: string): string {
  return reference.replace(/^.*\//, '')
}

export function schemaOf(document: ApiDocument, schema: Schema = {}): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas?.[nameOf(schema.$ref)] ?? {})
}

export function answerOf(document: ApiDocument, answer: Answer | Reference): Answer {
  return '$ref' in answer ? (document.components.responses?.[nameOf(answer.$ref)] ?? {}) : answer
}

/** Composed from the examples of its fields, unless the schema has one of its own. */
export function exampleFrom(document: ApiDocument, schema: Schema = {}): unknown {
  const { examples, properties, items } = schemaOf(document, schema)
  if (examples) return examples[0]
  if (items) {
    const item = exampleFrom(document, items)
    return item === undefined ? undefined : [item]
  }
  if (!properties) return undefined
  const fields = Object.entries(properties).map(([name, field]) => [name, exampleFrom(document, field)] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** The document with the reader's own group, organization and domain in its examples, so that they can be sent at once. */
export async function forReader(document: ApiDocument, session: Session): Promise<ApiDocument> {
  const group = exampleOf(document, '/v4/groups/{group_guid}')
  const organization = exampleOf(document, '/v4/organizations/{organization_guid}')
  if (group === undefined || organization === undefined) return document
  try {
    const [user, { groups }] = await Promise.all([
      fetchOwn<{ default_group_guid: string }>('/v4/user', session),
      fetchOwn<{ groups: { guid: string; organization_guid: string }[] }>('/v4/groups', session),
    ])
    const own = groups.find(({ guid }) => guid === user.default_group_guid)
    if (!own) return document
    const { domain_preference: domain } = await fetchOwn<{ domain_preference: string }>(
      `/v4/groups/${own.guid}/preferences`,
      session,
    )
    const text = JSON.stringify(document)
      .replaceAll(group, own.guid)
      .replaceAll('go.example.com', domain)
      .replaceAll(organization, own.organization_guid)
      .replaceAll('"anna"', JSON.stringify(session.login))
    return JSON.parse(text) as ApiDocument
  } catch {
    // Without them the examples are those of everybody.
    return document
  }
}

function exampleOf(document: ApiDocument, path: string): string | undefined {
  const example = document.paths[path]?.get?.parameters?.[0]?.example
  return typeof example === 'string' ? example : undefined
}
