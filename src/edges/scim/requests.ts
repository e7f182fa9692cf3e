/** What requests of SCIM ask for: filters and pages of lists, attributes of answers, whole resources and patches. */
import type { FastifyRequest } from 'fastify'
import type {
  GroupFields,
  ProvisionedGroup,
  ProvisionedPage,
  ProvisionedUser,
} from '../../core/accounts/provisioning-store.js'
import type { GivenPerson } from '../../core/identity-providers/provisioning.js'
import { isObject } from '../../lib/is-object.js'
import { queryOf } from '../http/form-body.js'
import { ScimError } from './errors.js'
import {
  type GroupDraft,
  groupSchema,
  type Operation,
  plain,
  setGroup,
  setUser,
  type UserFields,
  userSchema,
} from './resources.js'

const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const longestPage = 200

export function pageOf(request: FastifyRequest, name: 'userName' | 'displayName'): ProvisionedPage {
  const query = queryOf(request)
  const filter = query.get('filter')
  const startIndex = Math.max(1, wholeNumber(query.get('startIndex'), 'startIndex') ?? 1)
  const count = Math.max(0, wholeNumber(query.get('count'), 'count') ?? longestPage)
  const where = filter === undefined ? undefined : conditionOf(filter, name)
  return { where, offset: startIndex - 1, size: Math.min(count, longestPage) }
}

function wholeNumber(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(text)) throw new ScimError('invalidValue', `${name} is a whole number.`)
  return Number(text)
}

function conditionOf(filter: string, name: 'userName' | 'displayName'): ProvisionedPage['where'] {
  const [, attribute = '', text = ''] =
    /^\s*(?:urn:[\w.:-]+:)?([a-z]+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(filter) ?? []
  const fields = { id: 'id', externalid: 'externalId', [name.toLowerCase()]: 'name' } as const
  const field = Object.hasOwn(fields, attribute.toLowerCase())
    ? fields[attribute.toLowerCase() as keyof typeof fields]
    : undefined
  const value = parsed(text)
  if (field === undefined || typeof value !== 'string')
    throw new ScimError('invalidFilter', `Filters are id, externalId or ${name}, eq, and a text in quotes.`)
  return { field, value: storable(value) }
}

/** PostgreSQL refuses NUL, also in a comparison. Nothing that is stored has one. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `attributes` and `excludedAttributes`, as far as they name whole attributes. */
export function chosen(request: FastifyRequest, resource: object): object {
  const query = queryOf(request)
  const listOf = (name: string) =>
    query
      .get(name)
      ?.toLowerCase()
      .split(/\s*,\s*/)
  const [wanted, excluded] = [listOf('attributes'), listOf('excludedAttributes')]
  if (!wanted && !excluded) return resource
  const isIn = (list: readonly string[], name: string) =>
    list.some((each) => each === name.toLowerCase() || each.startsWith(`${name.toLowerCase()}.`))
  const shown = Object.entries(resource).filter(
    ([name]) =>
      ['schemas', 'id'].includes(name) || (wanted ? isIn(wanted, name) : !excluded?.includes(name.toLowerCase())),
  )
  return Object.fromEntries(shown)
}

/** For POST and PUT. PUT removes what is not sent, but activates nobody by that. */
export function userIn(body: unknown, isActive = true): GivenPerson {
  const user: UserFields = { userName: '', isActive }
  setUser(user, undefined, withSchema(body, userSchema))
  return user
}

export function groupIn(body: unknown): GroupFields {
  const group: GroupDraft = { name: '', externalId: undefined, members: new Set() }
  setGroup(group, 'replace', undefined, withSchema(body, groupSchema))
  return { ...group, members: [...group.members] }
}

interface PatchOperation {
  readonly operation: Operation
  readonly path: string | undefined
  readonly value: unknown
}

export function patchIn(body: unknown): readonly PatchOperation[] {
  const operations = Object.entries(withSchema(body, patchSchema)).find(([name]) => name.toLowerCase() === 'operations')
  if (!Array.isArray(operations?.[1]) || operations[1].length === 0)
    throw new ScimError('invalidSyntax', 'Operations is a list with at least one operation.')
  return operations[1].map(operationFrom)
}

function operationFrom(given: unknown): PatchOperation {
  const { op, path, value } = isObject(given) ? given : {}
  const operation = plain(op).toLowerCase()
  if (operation !== 'add' && operation !== 'replace' && operation !== 'remove')
    throw new ScimError('invalidSyntax', 'An operation has an op: add, replace or remove.')
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw new ScimError('invalidPath', 'The path is a text.')
  if (operation === 'remove' && !path) throw new ScimError('noTarget', 'Remove needs a path.')
  return { operation, path: path || undefined, value }
}

export function patchedUser(user: ProvisionedUser, operations: readonly PatchOperation[]): GivenPerson {
  const draft: UserFields = { ...user }
  for (const { operation, path, value } of operations) {
    if (operation === 'remove' && /(?:^|:)(?:username|active)$/i.test(path ?? ''))
      throw new ScimError('mutability', `${path} cannot be removed.`)
    setUser(draft, path, operation === 'remove' ? undefined : value)
  }
  return draft
}

export function patchedGroup(group: ProvisionedGroup, operations: readonly PatchOperation[]): GroupFields {
  const draft: GroupDraft = { ...group, externalId: group.externalId, members: new Set(group.members) }
  for (const { operation, path, value } of operations) setGroup(draft, operation, path, value)
  return { ...draft, members: [...draft.members] }
}

function withSchema(body: unknown, schema: string): Readonly<Record<string, unknown>> {
  const schemas = isObject(body) ? body.schemas : undefined
  const isNamed = Array.isArray(schemas) && schemas.some((each) => plain(each).toLowerCase() === schema.toLowerCase())
  if (!isObject(body) || !isNamed)
    throw new ScimError('invalidSyntax', `Send an object whose schemas are ["${schema}"].`)
  return body
}
