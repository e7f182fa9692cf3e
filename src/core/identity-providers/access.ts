/** What the claims of a provider mean here: which login and name, who may sign in, and with which roles. */
import { emailRule, loginRule } from '../../lib/credentials.js'
import type { AccessOf, GivenRole } from '../accounts/identity-store.js'
import { isPlain, maxNameLength } from '../values/names.js'
import type { Claims, GroupRoleRule, ProviderSettings } from './provider.js'

/** A claim by its name, or inside another one: `realm_access.roles`. */
function claim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, part) => {
    return typeof value === 'object' && value !== null && Object.hasOwn(value, part)
      ? Reflect.get(value, part)
      : undefined
  }, claims)
}

export function textClaim(claims: Claims, name: string): string | undefined {
  const value = claim(claims, name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Whether access depends on groups. */
export function needsGroups({ allowedGroups, adminGroup, groupRoles }: ProviderSettings): boolean {
  return allowedGroups.length > 0 || adminGroup !== undefined || groupRoles.length > 0
}

/** `too-many`: Entra leaves out the groups of people who are in more than 200. */
export function groupsOf(claims: Claims, { groupsClaim = 'groups' }: ProviderSettings): readonly string[] | 'too-many' {
  const value = claim(claims, groupsClaim)
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.filter((group) => typeof group === 'string')
  const elsewhere = claim(claims, '_claim_names')
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim)
  return isElsewhere || claims.hasgroups === true ? 'too-many' : []
}

export function saysGroups(claims: Claims, settings: ProviderSettings): boolean {
  return claim(claims, settings.groupsClaim ?? 'groups') !== undefined
}

export function isAllowed(groups: readonly string[], { allowedGroups }: ProviderSettings): boolean {
  return allowedGroups.length === 0 || groups.some((group) => allowedGroups.includes(group))
}

/** The oldest group and the oldest organization: where people are whom no rule sends elsewhere. */
export interface Home {
  readonly groupGuid: string
  readonly organizationGuid: string
}

/** Undefined when the settings leave the roles to people. */
export function rolesFor(
  groups: readonly string[],
  { adminGroup, groupRoles }: ProviderSettings,
  home: Home,
): readonly GivenRole[] | undefined {
  if (adminGroup === undefined && groupRoles.length === 0) return undefined
  const mapped = groupRoles.filter(({ group }) => groups.includes(group)).map(givenRole)
  const isAdmin = adminGroup !== undefined && groups.includes(adminGroup)
  const admin: GivenRole[] = isAdmin ? [{ in: 'organization', guid: home.organizationGuid, role: 'admin' }] : []
  const usual: GivenRole[] = groupRoles.length === 0 ? [{ in: 'group', guid: home.groupGuid, role: 'member' }] : []
  return [...mapped, ...usual, ...admin]
}

/** Whoever is in no allowed group loses what the provider gave. */
export function accessFor(settings: ProviderSettings, home: Home): AccessOf {
  return (groups) => {
    const mayEnter = isAllowed(groups, settings)
    const roles = rolesFor(groups, settings, home)
    return { mayEnter, roles: roles && !mayEnter ? [] : roles }
  }
}

function givenRole({ in: guid, role }: GroupRoleRule): GivenRole {
  if (role === 'org-admin') return { in: 'organization', guid, role: 'admin' }
  if (role === 'auditor') return { in: 'organization', guid, role }
  return { in: 'group', guid, role: role === 'group-admin' ? 'admin' : role }
}

/** A login that looks like the claim; who it is does not depend on it. */
export function loginFor(claims: Claims, { loginClaim }: ProviderSettings): string {
  const candidates = [
    textClaim(claims, loginClaim),
    textClaim(claims, 'email')?.split('@', 1)[0],
    textClaim(claims, 'sub'),
  ]
  const logins = candidates.flatMap((text) => (text === undefined ? [] : [asLogin(text)]))
  return logins.find((login) => loginRule.test(login) && login !== 'operator') ?? 'user'
}

function asLogin(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .replace(/[^a-z0-9._@-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
}

export function nameFor(claims: Claims, login: string): string {
  const parts = [textClaim(claims, 'given_name'), textClaim(claims, 'family_name')].filter(Boolean).join(' ')
  const name = textClaim(claims, 'name') ?? parts
  return name !== '' && isPlain(name, maxNameLength) ? name : login
}

/** Undefined unless the provider says that it belongs to the user: anybody can type one. */
export function verifiedEmail(claims: Claims): string | undefined {
  const email = textClaim(claims, 'email')
  const isVerified = claims.email_verified === true || claims.email_verified === 'true'
  return isVerified && email !== undefined && emailRule.test(email) ? email : undefined
}
