import { readFileSync } from 'node:fs'
import { Compile, type Validator } from 'typebox/schema'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiDocument, exampleFrom } from '../../web/src/docs/document.js'
import { writtenOut } from '../support/openapi.js'
import { useApp } from '../support/start-app.js'

interface Media {
  readonly schema: object
  readonly example?: unknown
}
type Content = Readonly<Record<string, Media>>
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly { name: string; required?: boolean; example?: unknown; description?: string }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Document = ApiDocument & { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

describe.each([
  ['/openapi.json', 'v4.json'],
  ['/docs/v3.json', 'v3.json'],
])('GET %s', (url, file) => {
  const started = useApp()
  let document: Document
  let operations: readonly Operation[]
  beforeAll(async () => {
    document = (await started.request('GET', url, { token: null })).body
    operations = Object.values(writtenOut(document).paths as Document['paths']).flatMap((path) => Object.values(path))
  })

  /** Answers of v3 have no schema. */
  const example = (media: Media): unknown => media.example ?? exampleFrom(document, media.schema)

  it('equals the committed document; run "npm run openapi" if this fails', () => {
    expect(document).toEqual(JSON.parse(readFileSync(`docs/openapi/${file}`, 'utf8')))
  })

  it('has a description for every operation, in other words than its summary', () => {
    const bare = operations.filter(({ summary, description }) => !description || description === summary)
    expect(bare.map(({ operationId }) => operationId)).toEqual([])
  })

  it('has an example for every body, and for every parameter that is required', () => {
    const missing = operations.flatMap((operation) => [
      ...bodiesOf(operation).filter(({ media }) => example(media) === undefined),
      ...(operation.parameters ?? [])
        .filter(({ required, example }) => required && example === undefined)
        .map(({ name }) => ({ of: `${operation.operationId} ${name}` })),
    ])
    expect(missing.map(({ of }) => of)).toEqual([])
  })

  it('has only examples that their schemas accept', () => {
    const faults = operations.flatMap((operation) =>
      bodiesOf(operation).flatMap(({ of, media }) => {
        const validator: Validator = Compile({ ...media.schema, components: document.components })
        const [, errors] = validator.Errors(example(media))
        return errors.map(({ instancePath, message }) => `${of} ${instancePath} ${message}`)
      }),
    )
    expect(faults).toEqual([])
  })

  it('has no empty example', () => {
    const empty = operations.flatMap((operation) =>
      bodiesOf(operation)
        .filter(({ media }) => JSON.stringify(example(media)) === '{}')
        .map(({ of }) => of),
    )
    expect(empty).toEqual([])
  })
})

/** The bodies of requests and of successes that are JSON or forms of fields. */
function bodiesOf({ operationId, requestBody, responses }: Operation): readonly { of: string; media: Media }[] {
  const contents = [
    ['request', requestBody?.content] as const,
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => [status, response.content] as const),
  ]
  return contents.flatMap(([part, content = {}]) =>
    Object.entries(content)
      .filter(([type]) => /json|urlencoded/.test(type))
      .map(([type, media]) => ({ of: `${operationId} ${part} ${type}`, media })),
  )
}
