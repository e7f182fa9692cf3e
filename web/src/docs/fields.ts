/** Parameters and fields: their names, what they may be, what they mean. */
import { type ApiDocument, type Parameter, type Schema, schemaOf } from './document.js'
import { disclosure, element, prose } from './element.js'

export function parameterList(document: ApiDocument, parameters: readonly Parameter[]): HTMLElement {
  const rows = parameters.flatMap(({ name, in: place, required, description, schema }) =>
    row(document, { name, schema: schema ?? {}, required: required ?? false, description, place }),
  )
  return element('dl', { class: 'fields' }, rows)
}

/** The fields of an object, or of each one in a list. Nothing for other values. */
export function fieldList(document: ApiDocument, given: Schema | undefined): HTMLElement | undefined {
  const { properties, required = [] } = objectIn(document, given)
  if (!properties) return undefined
  const rows = Object.entries(properties).flatMap(([name, schema]) =>
    row(document, { name, schema, required: required.includes(name) }),
  )
  return element('dl', { class: 'fields' }, rows)
}

interface Row {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly description?: string | undefined
  /** Of a parameter. */
  readonly place?: string
}

function row(document: ApiDocument, { name, schema, required, description, place }: Row): readonly HTMLElement[] {
  const whole = { ...schemaOf(document, schema), ...schema }
  const isNested = objectIn(document, whole).properties !== undefined
  return [
    element(
      'dt',
      {},
      element('code', {}, name),
      element('span', {}, [place, ...kindOf(document, whole)].filter(Boolean).join(' · ')),
      required && element('strong', {}, 'required'),
    ),
    element(
      'dd',
      {},
      ...prose(description ?? whole.description),
      isNested && disclosure({}, [`Fields of ${name}`], () => [fieldList(document, whole)]),
    ),
  ]
}

function objectIn(document: ApiDocument, given: Schema | undefined): Schema {
  const schema = schemaOf(document, given)
  const one = schema.anyOf?.map((each) => schemaOf(document, each)).find((each) => each.properties) ?? schema
  return one.items ? objectIn(document, one.items) : one
}

/** What a value may be, in words: `list of string`, `1 to 100`. `null` and an empty string, which mean absent, are left out. */
function kindOf(document: ApiDocument, given: Schema): readonly string[] {
  const schema = schemaOf(document, given)
  const { type, items, format, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  const kinds = schema.anyOf?.flatMap((each) => schemaOf(document, each).type ?? 'any') ?? [type ?? 'any'].flat()
  const isAbsence = (kind: string) => kind === 'null' || (kind === 'string' && maxLength === 0)
  const item = items && kindOf(document, items)
  return [
    item ? `list of ${item[0]}` : kinds.filter((kind) => !isAbsence(kind)).join(' or '),
    format ?? '',
    within(minimum, maximum, ''),
    maxLength === 0 ? '' : within(minLength, maxLength, ' characters'),
    within(minItems, maxItems, ' items'),
    schema.enum ? `one of ${schema.enum.filter((value) => value !== '').join(', ')}` : '',
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
    ...(item?.slice(1) ?? []),
  ].filter(Boolean)
}

function within(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return ''
  if (most === undefined) return `at least ${least}${unit}`
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`
}
