import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusalCodes } from '../../src/core/values/refusal.js'
import { answerV4 } from '../../src/edges/v4/errors.js'
import { argumentsDe, codesDe } from '../../web/src/texts/errors-de.js'
import { writtenOut } from '../support/openapi.js'

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

const document = writtenOut(JSON.parse(readFileSync('docs/openapi/v4.json', 'utf8'))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Those that the source of the dashboard calls. */
function operationsOfDashboard(): readonly Operation[] {
  const files = readdirSync('web/src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  const calls = files
    .filter((name) => !name.endsWith('schema.d.ts'))
    .flatMap((name) => [...readFileSync(join('web/src', name), 'utf8').matchAll(/api\.([A-Z]+)\(\s*'([^']+)'/g)])
  return calls.map(([call, method = '', path = '']) => {
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (!operation) throw new Error(`${call} is not in the OpenAPI document`)
    return operation
  })
}

function argumentsOf({ parameters = [], requestBody }: Operation): readonly string[] {
  const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => propertiesOf(schema))
  return [...bodies, ...parameters.filter((each) => each.in === 'query').map(({ name }) => name)]
}

function propertiesOf(schema: Schema): readonly string[] {
  const named = schema.$ref === undefined ? undefined : document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(named ? [named] : [])]
  return [...Object.keys(schema.properties ?? {}), ...parts.flatMap(propertiesOf)]
}

describe('the German dashboard', () => {
  it('has a text for every code of an error', () => {
    const framework = [
      'FST_ERR_CTP_BODY_TOO_LARGE',
      'FST_ERR_CTP_INVALID_MEDIA_TYPE',
      'NOT_ACCEPTABLE',
      'anything',
    ].map((code) => answerV4(Object.assign(new Error('x'), { code }), '/v4/shorten').body.message)
    const missing = [...refusalCodes, ...framework].filter((code) => codesDe[code] === undefined)
    expect(missing).toEqual([])
  })

  it('has a name for every argument that its operations may refuse', () => {
    const names = operationsOfDashboard().flatMap(argumentsOf)
    expect(names.length).toBeGreaterThan(50)
    const missing = [...new Set(names)]
      .map((name) => name.toUpperCase())
      .filter((name) => argumentsDe[name] === undefined && codesDe[`INVALID_ARG_${name}`] === undefined)
    expect(missing).toEqual([])
  })

  it('says what to do when somebody would be in no group, or an organization without an administrator', () => {
    expect(codesDe['INVALID_ARG_LOGIN users']).toMatch(/keiner Gruppe.*Administrator.*anderen Gruppe/)
  })
})
