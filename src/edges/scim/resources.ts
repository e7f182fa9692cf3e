/**
 * Users and groups as SCIM writes them (RFC 7643), and how requests set their attributes. Names of attributes are the same in
 * any case. Attributes of the standard that the service has no use for are accepted and not stored.
 */
import type { ProvisionedGroup, ProvisionedUser } from '../../core/accounts/provisioning-store.js'
import type { GivenPerson } from '../../core/identity-providers/provisioning.js'
import { isObject } from '../../lib/is-object.js'
import { ScimError } from './errors.js'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** Undefined values are left out by JSON. */
export function presentUser(user: ProvisionedUser, base: string) {
  const { id, externalId, userName, displayName, formattedName, givenName, familyName, email, isActive } = user
  const name = { formatted: formattedName, givenName, familyName }
  return {
    schemas: [userSchema],
    id,
    externalId,
    userName,
    ...(formattedName || givenName || familyName ? { name } : {}),
    displayName,
    ...(email && { emails: [{ value: email, type: 'work', primary: true }] }),
    active: isActive,
    meta: metaOf('User', user, base),
  }
}

export function presentGroup(group: ProvisionedGroup, base: string) {
  const { id, externalId, name: displayName } = group
  const members = group.members.map((value) => ({ value, $ref: `${base}/Users/${value}`, type: 'User' }))
  return { schemas: [groupSchema], id, externalId, displayName, members, meta: metaOf('Group', group, base) }
}

function metaOf(
  resourceType: 'User' | 'Group',
  { id, createdAt, modifiedAt }: ProvisionedUser | ProvisionedGroup,
  base: string,
) {
  return {
    resourceType,
    created: new Date(createdAt).toISOString(),
    lastModified: new Date(modifiedAt).toISOString(),
    location: `${base}/${resourceType}s/${id}`,
    version: `W/"${modifiedAt}"`,
  }
}

export type Operation = 'add' | 'replace' | 'remove'

type Draft<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] }
export type UserFields = Draft<GivenPerson>
export interface GroupDraft {
  name: string
  externalId: string | undefined
  members: Set<string>
}

const textAttributes: Readonly<Record<string, 'userName' | keyof Omit<UserFields, 'isActive' | 'userName'>>> = {
  username: 'userName',
  externalid: 'externalId',
  displayname: 'displayName',
  'name.formatted': 'formattedName',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
}

/** Of the standard and without a meaning here. */
const unused = new RegExp(
  '^(schemas|id|meta|groups|nickname|profileurl|title|usertype|preferredlanguage|locale|timezone|password|phonenumbers|ims|photos|' +
    'addresses|entitlements|roles|x509certificates|name\\.(middlename|honorificprefix|honorificsuffix))(?![a-z0-9])',
)

/** `path` undefined: each name of the object is one. Value undefined: it is removed. */
export function setUser(user: UserFields, path: string | undefined, value: unknown): void {
  if (path !== undefined) setUserAttribute(user, path, value, true)
  else setEach(value, userSchema, (name, each) => setUserAttribute(user, name, each, false))
}

function setUserAttribute(user: UserFields, path: string, value: unknown, isStrict: boolean): void {
  const name = plainPath(path, userSchema)
  const field = Object.hasOwn(textAttributes, name) ? textAttributes[name] : undefined
  if (field === 'userName') user.userName = textOf(path, value) ?? ''
  else if (field) user[field] = textOf(path, value)
  else if (name === 'active') user.isActive = flagOf(path, value)
  else if (name === 'name') setName(user, value)
  else if (/^emails(?![a-z0-9])/.test(name)) setEmail(user, name, path, value)
  else if (isStrict && !unused.test(name) && !name.startsWith('urn:')) throw unknownPath(path)
}

function setName(user: UserFields, value: unknown): void {
  if (value !== undefined && value !== null && !isObject(value)) throw wrong('name', 'an object')
  const given = Object.entries(value ?? {}).map(([name, each]) => [`name.${name}`, each] as const)
  for (const part of value ? [] : ['name.formatted', 'name.givenName', 'name.familyName'])
    setUserAttribute(user, part, undefined, true)
  for (const [part, each] of given) setUserAttribute(user, part, each, false)
}

/** One address is kept: the primary one, or that of work, or else the first. */
function setEmail(user: UserFields, name: string, path: string, value: unknown): void {
  const [, condition, part] = /^emails(?:\[(.{0,100})\])?(?:\.([a-z]+))?$/.exec(name) ?? []
  if (name !== 'emails' && condition === undefined && part === undefined) throw unknownPath(path)
  if (part !== undefined && part !== 'value') return
  if (condition !== undefined && !/^(type eq "work"|primary eq "?true"?)$/.test(condition)) return
  const all = [value].flat().filter((each) => !isObject(each) || each.value !== undefined)
  const isPrimary = (each: unknown) => isObject(each) && /^true$/i.test(plain(each.primary))
  const isWork = (each: unknown) => isObject(each) && each.type === 'work'
  user.email = textOf(path, all.find(isPrimary) ?? all.find(isWork) ?? all[0])
}

export function setGroup(group: GroupDraft, operation: Operation, path: string | undefined, value: unknown): void {
  if (path !== undefined) setGroupAttribute(group, operation, path, value, true)
  else setEach(value, groupSchema, (name, each) => setGroupAttribute(group, operation, name, each, false))
}

function setGroupAttribute(
  group: GroupDraft,
  operation: Operation,
  path: string,
  value: unknown,
  isStrict: boolean,
): void {
  const name = plainPath(path, groupSchema)
  if (name === 'displayname') group.name = textOf(path, value) ?? ''
  else if (name === 'externalid') group.externalId = textOf(path, value)
  else if (name === 'members') {
    const ids = idsOf(value)
    if (operation === 'replace') group.members.clear()
    if (operation !== 'remove') for (const id of ids) group.members.add(id)
    else if (value === undefined) group.members.clear()
    else for (const id of ids) group.members.delete(id)
  } else if (name.startsWith('members[')) {
    const [, id] = /^members\[\s*value\s+eq\s+"([^"]{1,255})"\s*\]$/.exec(name) ?? []
    if (id === undefined || operation !== 'remove')
      throw new ScimError('invalidPath', 'Members are removed by members[value eq "id"], and added by members.')
    group.members.delete(id)
  } else if (isStrict && !unused.test(name) && !name.startsWith('urn:')) throw unknownPath(path)
}

function idsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  return [value].flat().map((each) => {
    const id = isObject(each) ? each.value : each
    // In lower case, as in paths; ids are of the service.
    if (typeof id === 'string' && /^[0-9a-f-]{36}$/i.test(id)) return id.toLowerCase()
    throw new ScimError('invalidValue', 'Members are a list of {"value": "id of a user of this service"}.')
  })
}

/** The names of an object, also inside of the schema's own name. */
function setEach(value: unknown, schema: string, set: (name: string, value: unknown) => void): void {
  if (!isObject(value)) throw new ScimError('invalidValue', 'Without a path the value is an object with attributes.')
  for (const [name, each] of Object.entries(value)) {
    if (name.toLowerCase() !== schema.toLowerCase()) set(name, each)
    else if (isObject(each)) for (const [inner, innerValue] of Object.entries(each)) set(inner, innerValue)
  }
}

function plainPath(path: string, schema: string): string {
  const prefix = `${schema}:`.toLowerCase()
  const name = path.trim().toLowerCase()
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

/** Entra wraps single values: `[{ "value": "text" }]`. */
function single(value: unknown): unknown {
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value]
  return isObject(only) && Object.hasOwn(only, 'value') ? only.value : only
}

function textOf(name: string, value: unknown): string | undefined {
  const text = single(value)
  if (text === undefined || text === null || text === '') return undefined
  if (typeof text !== 'string') throw wrong(name, 'text')
  return text
}

/** Entra sends booleans as text: "True". */
function flagOf(name: string, value: unknown): boolean {
  const text = plain(single(value)).toLowerCase()
  if (text !== 'true' && text !== 'false') throw wrong(name, 'true or false')
  return text === 'true'
}

/** The text of a text or a truth value; of anything else nothing, since objects may not even be texts. */
export function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''
}

function wrong(name: string, wanted: string): ScimError {
  return new ScimError('invalidValue', `Send ${wanted} as ${JSON.stringify(name.slice(0, 100))}.`)
}

function unknownPath(path: string): ScimError {
  return new ScimError(
    'invalidPath',
    `There is no attribute ${JSON.stringify(path.slice(0, 100))}. /Schemas lists them.`,
  )
}
