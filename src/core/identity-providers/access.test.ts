import { describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import { groupsOf, isAllowed, loginFor, nameFor, rolesFor, saysGroups, verifiedEmail } from './access.js'
import type { ProviderSettings } from './provider.js'

const settings = sampleOf<ProviderSettings>({
  id: 'oidc',
  name: 'Example',
  issuer: 'https://id.example',
  clientId: 'shortlink',
  clientSecret: undefined,
  scopes: 'openid',
  loginClaim: 'preferred_username',
  groupsClaim: 'groups',
  allowedGroups: [],
  adminGroup: undefined,
  groupRoles: [],
  createUsers: true,
  link: 'never',
  autoRedirect: false,
  endTokens: false,
  scimToken: undefined,
  scimIdClaim: 'sub',
})
const home = { groupGuid: 'B1', organizationGuid: 'O1' }

describe('a login', () => {
  it.each([
    [{ preferred_username: 'Ada' }, 'ada'],
    [{ preferred_username: 'Ada.Lovelace@Example.com' }, 'ada.lovelace@example.com'],
    [{ preferred_username: ' José García ' }, 'jose-garcia'],
    [{ preferred_username: 'EXAMPLE\\ada' }, 'example-ada'],
    [{ preferred_username: '李', email: 'li@example.com' }, 'li'],
    [{ preferred_username: '', sub: 'S-1' }, 's-1'],
    [{ preferred_username: 'operator', sub: 'x1' }, 'x1'],
    [{ preferred_username: 7, sub: '李' }, 'user'],
    [{ preferred_username: 'a'.repeat(100) }, 'a'.repeat(64)],
  ])('of %j is %s', (claims, login) => {
    expect(loginFor(claims, settings())).toBe(login)
  })
})

describe('groups', () => {
  it.each([
    [{ groups: ['a', 'b', 7] }, 'groups', ['a', 'b']],
    [{ groups: 'a' }, 'groups', ['a']],
    [{}, 'groups', []],
    [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    [{ 'https://example.com/groups': ['a'] }, 'https://example.com/groups', ['a']],
    [{ groups: null }, 'groups', []],
    [{}, '__proto__.constructor', []],
    [{ _claim_names: { groups: 'src1' } }, 'groups', 'too-many'],
    [{ hasgroups: true }, 'groups', 'too-many'],
  ])('of %j in %s are %j', (claims, groupsClaim, groups) => {
    expect(groupsOf(claims, settings({ groupsClaim }))).toEqual(groups)
  })

  it('that are empty are known, and those that are not sent are not', () => {
    expect(saysGroups({ groups: [] }, settings())).toBe(true)
    expect(saysGroups({}, settings())).toBe(false)
  })

  it('let in', () => {
    expect(isAllowed([], settings())).toBe(true)
    expect(isAllowed(['a'], settings({ allowedGroups: ['b'] }))).toBe(false)
    expect(isAllowed(['a', 'b'], settings({ allowedGroups: ['b'] }))).toBe(true)
  })

  it('give roles, if the settings say which', () => {
    const member = { in: 'group', guid: 'B1', role: 'member' }
    const admin = { in: 'organization', guid: 'O1', role: 'admin' }
    expect(rolesFor(['it'], settings(), home)).toBeUndefined()
    expect(rolesFor(['it'], settings({ adminGroup: 'it' }), home)).toEqual([member, admin])
    expect(rolesFor([], settings({ adminGroup: 'it' }), home)).toEqual([member])
    const groupRoles = [
      { group: 'a', in: 'B2', role: 'group-admin' },
      { group: 'b', in: 'O2', role: 'org-admin' },
    ] as const
    expect(rolesFor(['a', 'b'], settings({ groupRoles }), home)).toEqual([
      { in: 'group', guid: 'B2', role: 'admin' },
      { in: 'organization', guid: 'O2', role: 'admin' },
    ])
    expect(rolesFor(['c'], settings({ groupRoles }), home)).toEqual([])
    expect(rolesFor(['it'], settings({ groupRoles, adminGroup: 'it' }), home)).toEqual([admin])
  })
})

describe('an address', () => {
  it.each([
    [{ email: 'ada@example.com', email_verified: true }, 'ada@example.com'],
    [{ email: 'ada@example.com', email_verified: 'true' }, 'ada@example.com'],
    [{ email: 'ada@example.com' }, undefined],
    [{ email: 'ada@example.com', email_verified: false }, undefined],
    [{ email: 'ada', email_verified: true }, undefined],
  ])('in %j is %s', (claims, email) => {
    expect(verifiedEmail(claims)).toBe(email)
  })
})

describe('a name', () => {
  it.each([
    [{ name: 'Ada Lovelace' }, 'Ada Lovelace'],
    [{ given_name: 'Ada', family_name: 'Lovelace' }, 'Ada Lovelace'],
    [{ name: 'a\u0000b' }, 'ada'],
    [{ name: 'x'.repeat(300) }, 'ada'],
    [{}, 'ada'],
  ])('of %j', (claims, name) => {
    expect(nameFor(claims, 'ada')).toBe(name)
  })
})
