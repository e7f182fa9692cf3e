import { fetchOwn, type Session } from './session.js'

interface Media {
  readonly schema?: Schema
}

interface Schema {
  readonly $ref?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly example?: unknown
}

export interface ApiOperation {
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly object[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
}

export interface ApiDocument {
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly parameters?: Readonly<Record<string, Parameter>>
  }
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

/** The document with all parameters in their operations: those that several share are references. */
export function withParameters(document: ApiDocument): ApiDocument {
  const shared = document.components.parameters ?? {}
  const text = JSON.stringify(document.paths).replace(
    /\{"\$ref":"#\/components\/parameters\/([^"]+)"\}/g,
    (reference, name: string) => JSON.stringify(shared[name]) ?? reference,
  )
  return { ...document, paths: JSON.parse(text) as ApiDocument['paths'] }
}

/** Composed from the examples of its fields, unless the schema has one of its own. */
export function exampleFrom(document: ApiDocument, schema: Schema = {}): unknown {
  const { $ref, examples, properties, items } = schema
  if ($ref !== undefined) return exampleFrom(document, document.components.schemas?.[$ref.replace(/^.*\//, '')])
  if (examples) return examples[0]
  if (items) {
    const item = exampleFrom(document, items)
    return item === undefined ? undefined : [item]
  }
  if (!properties) return undefined
  const fields = Object.entries(properties).map(([name, field]) => [name, exampleFrom(document, field)] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** The document with the reader's own group, organization and domain in its examples, so that "Try it out" works at once. */
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
