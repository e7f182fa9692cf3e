/**
 * The OpenAPI document with each part written once, as a component: schemas that have a title, answers of successes, and
 * the parameters and errors that operations have in common. What is generated from it is half as long.
 */
import { STATUS_CODES } from 'node:http'
import { isObject } from '../../lib/is-object.js'

type JsonObject = Readonly<Record<string, unknown>>

export function withSharedParts({ paths, components, ...rest }: Readonly<Record<string, object>>): object {
  const named: Record<string, unknown> = {}
  const asNamed = (name: string, schema: JsonObject): JsonObject => {
    named[name] ??= schema
    // A field that may be null and one that is required are not the same: the rarer one is written out.
    return isSame(named[name], schema) ? { $ref: `#/components/schemas/${name}` } : schema
  }
  const titled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(titled)
    if (!isObject(value)) return value
    const inner = mapped(value, titled)
    const { title, description, ...schema } = inner
    if (typeof title !== 'string' || !isObject(schema.properties)) return inner
    // What it is here stands beside the reference.
    return { ...asNamed(title, schema), ...(description !== undefined && { description }) }
  }
  const ofOperation = ({ operationId, responses }: JsonObject) => {
    const name = `${String(operationId).charAt(0).toUpperCase()}${String(operationId).slice(1)}Answer`
    return mapped(responses, (response, status) => {
      const { content } = Object(response) as JsonObject
      const json = isObject(content) ? content['application/json'] : undefined
      if (!status.startsWith('2') || !isObject(json) || !isObject(json.schema) || '$ref' in json.schema) return response
      return {
        ...Object(response),
        content: { ...Object(content), 'application/json': { ...json, schema: asNamed(name, json.schema) } },
      }
    })
  }

  const schemas = mapped(Object(components).schemas, titled)
  const written = eachOperation(titled(paths), (operation) => ({ ...operation, responses: ofOperation(operation) }))
  const all = Object.values(written).flatMap((path) => Object.values(path as Readonly<Record<string, JsonObject>>))
  const parameters = mostUsed(all.flatMap(parametersOf))
  const responses = mostUsed(all.flatMap(responsesOf))
  const part = (kind: string, shared: JsonObject, [name, own]: Part) =>
    isSame(shared[name], own) ? { $ref: `#/components/${kind}/${name}` } : own
  return {
    ...rest,
    components: { ...components, schemas: { ...schemas, ...named }, parameters, responses },
    paths: eachOperation(written, (operation) => ({
      ...operation,
      ...(Array.isArray(operation.parameters) && {
        parameters: parametersOf(operation).map((each) => part('parameters', parameters, each)),
      }),
      responses: mapped(operation.responses, (response, status) =>
        part('responses', responses, [responseName(response, status), response]),
      ),
    })),
  }
}

function eachOperation(paths: unknown, change: (operation: JsonObject) => JsonObject): JsonObject {
  return mapped(paths, (path) => mapped(path, (operation) => change(Object(operation) as JsonObject)))
}

type Part = readonly [name: string, part: unknown]

function parametersOf({ parameters }: JsonObject): readonly Part[] {
  return (Array.isArray(parameters) ? parameters : []).map((each: JsonObject) => [String(each.name), each])
}

function responsesOf({ responses }: JsonObject): readonly Part[] {
  return Object.entries(Object(responses)).map(([status, each]) => [responseName(each, status), each])
}

/** Of a success the name of its schema; else `NotFound` of `404`. */
function responseName(response: unknown, status: string): string {
  const { schema } = Object(Object(Object(response).content)['application/json']) as { readonly schema?: unknown }
  const reference = isObject(schema) && status.startsWith('2') ? String(schema.$ref) : undefined
  return reference?.replace(/^.*\//, '') ?? (STATUS_CODES[status] ?? status).replace(/\W/g, '')
}

/** Of each name the part that most operations have, if several have it. */
function mostUsed(parts: readonly Part[]): JsonObject {
  const uses = new Map<string, { readonly name: string; readonly part: unknown; count: number }>()
  for (const [name, part] of parts) {
    const key = JSON.stringify([name, part])
    const known = uses.get(key)
    if (known) known.count++
    else uses.set(key, { name, part, count: 1 })
  }
  const rising = [...uses.values()].filter(({ count }) => count > 1).sort((one, other) => one.count - other.count)
  return Object.fromEntries(rising.map(({ name, part }) => [name, part]))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function mapped(holder: unknown, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(Object(holder)).map(([name, value]) => [name, change(value, name)]))
}
