import { describe, expect, it } from 'vitest'
import { type Actor, operator, requireOperator, requireOrganizationAdmin } from './actor.js'
import { changedBy } from './audit.js'

const admin: Actor = {
  login: 'ada',
  defaultGroupGuid: 'B1',
  clientId: undefined,
  groups: [],
  organizations: [{ organizationGuid: 'O1', role: 'admin' }],
}

describe('the operator', () => {
  it('administers every organization, and all of them at once', () => {
    expect(() => requireOrganizationAdmin(operator, 'O1')).not.toThrow()
    expect(() => requireOrganizationAdmin(operator, undefined)).not.toThrow()
  })

  it('is nobody else: an administrator has their own organization only', () => {
    expect(() => requireOrganizationAdmin(admin, 'O1')).not.toThrow()
    expect(() => requireOrganizationAdmin(admin, 'O2')).toThrow('You do not have access to this organization.')
    expect(() => requireOrganizationAdmin(admin, undefined)).toThrow('You do not have access to this organization.')
    expect(() => requireOperator({ ...admin, login: operator.login })).toThrow('Only the operator')
    expect(() => requireOperator(operator)).not.toThrow()
  })

  it('is named in the audit log beside the account that was changed', () => {
    expect(changedBy(operator, 'ada')).toEqual({ login: 'operator', account: 'ada' })
    expect(changedBy(admin, 'ada')).toEqual({ login: 'ada' })
  })
})
