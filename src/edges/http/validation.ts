/**
 * Checks requests against their TypeBox schemas, strictly: a number where text is wanted is refused, not converted.
 * Only query strings, in which everything is text, are read as the integers, booleans and lists their schema names.
 */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Made when first needed, like the serializers.
  let check: Validator | undefined
  const properties = 'properties' in schema ? (schema.properties as Readonly<Record<string, TSchema>>) : {}
  return (sent: unknown) => {
    const value = httpPart === 'querystring' ? readQuery(sent as Readonly<Record<string, unknown>>, properties) : sent
    check ??= Compile(schema)
    return check.Check(value) ? { value } : { error: check.Errors(value) }
  }
}

function readQuery(
  sent: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, TSchema>>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(sent)) {
    // Our choice: an empty value is an absent one; clients send `unit_reference=` (gaps 2.4).
    if (text === '') continue
    const type = Object.hasOwn(properties, name) ? Reflect.get(properties[name] ?? {}, 'type') : undefined
    // A parameter that may be repeated arrives as text when it was sent once.
    if (type === 'array') query[name] = [text].flat().filter((each) => each !== '')
    else query[name] = typeof text === 'string' ? readValue(text, type) : text
  }
  return query
}

function readValue(text: string, type: unknown): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
