import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { administrationDeps } from '../../../test/support/administration-parts.js'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import type { Records } from '../../storage/records/records.js'
import { operator } from '../accounts/actor.js'
import { hashToken } from '../accounts/authenticate.js'
import { createToken, listTokens, revokeToken } from '../accounts/tokens.js'
import { createUser } from '../accounts/users.js'
import { firstStart } from './first-start.js'
import { operate } from './operations.js'

let records: Records
beforeEach(async () => {
  records = await temporaryRecords()
})
afterEach(() => records.close())

function deps() {
  return { ...administrationDeps(records), clock: { now: () => 1_700_000_000_000 } }
}
const nothing = { login: undefined, password: undefined, token: undefined }

describe('the first start', () => {
  it('makes an account that can be used at once and says what it generated', async () => {
    const first = await firstStart(deps(), nothing)
    expect(first).toMatchObject({ login: 'admin', groupGuid: expect.stringMatching(/^B[0-9A-Za-z]{10}$/) })
    expect(first?.generatedPassword).toMatch(/^[0-9A-Za-z]{20}$/)
    expect(first?.generatedToken).toMatch(/^[0-9a-f]{40}$/)
    const found = await records.accounts.actorByToken(hashToken(first?.generatedToken ?? ''))
    expect(found?.actor).toMatchObject({ login: 'admin', defaultGroupGuid: first?.groupGuid })
  })

  it('takes what it is given and does not repeat it', async () => {
    const token = 'f'.repeat(40)
    const first = await firstStart(deps(), { login: 'ada', password: 'correct horse', token })
    expect(first).toMatchObject({ login: 'ada', generatedPassword: undefined, generatedToken: undefined })
    expect((await records.accounts.actorByToken(hashToken(token)))?.actor.login).toBe('ada')
  })

  it('happens once, also when several start together', async () => {
    const together = await Promise.all([1, 2, 3].map(() => firstStart(deps(), nothing)))
    expect(together.filter((first) => first !== undefined)).toHaveLength(1)
    expect(await firstStart(deps(), nothing)).toBeUndefined()
  })

  it.each([
    [{ login: 'Not a login' }, 'is not a valid login'],
    [{ password: 'short' }, 'is not a valid password'],
    [{ token: 'short' }, 'is not a valid access token'],
  ])('refuses %j', async (input, message) => {
    await expect(firstStart(deps(), { ...nothing, ...input })).rejects.toThrow(message)
    expect(await records.accounts.firstGroup()).toBeUndefined()
  })
})

describe('tokens', () => {
  beforeEach(async () => {
    await firstStart(deps(), nothing)
  })

  it('are made, listed without their secret, and revoked', async () => {
    const created = await createToken(deps(), operator, { login: 'admin', label: 'build server' })
    expect(created.secret).toMatch(/^[0-9a-f]{40}$/)
    const listed = (await listTokens(deps(), { login: 'admin' })).find(({ guid }) => guid === created.guid)
    expect(listed).toMatchObject({ hint: created.secret.slice(-4), label: 'build server', revokedAt: undefined })
    expect(JSON.stringify(listed)).not.toContain(created.secret)

    const heard: string[] = []
    await revokeToken({ ...deps(), onTokenRevoked: (guid) => heard.push(guid) }, operator, { guid: created.guid })
    expect(heard).toEqual([created.guid])
    expect(await records.accounts.actorByToken(hashToken(created.secret))).toBeUndefined()
  })

  it('may have a word for short links', async () => {
    const { secret } = await createToken(deps(), operator, { login: 'admin', label: 'test', answersIn: 'bitlink' })
    expect((await records.accounts.actorByToken(hashToken(secret)))?.actor.answersIn).toBe('bitlink')
    await expect(
      createToken(deps(), operator, { login: 'admin', label: 'test', answersIn: 'Bit Link' }),
    ).rejects.toThrow('2 to 30 lower-case letters')
  })

  it('need a user, and can be revoked only once', async () => {
    await expect(createToken(deps(), operator, { login: 'nobody', label: 'test' })).rejects.toThrow(
      'There is no user "nobody".',
    )
    const { guid } = await createToken(deps(), operator, { login: 'admin', label: 'test' })
    await revokeToken(deps(), operator, { guid })
    await expect(revokeToken(deps(), operator, { guid })).rejects.toThrow('or it was revoked before')
  })
})

describe('users', () => {
  it('cannot be added before there is a group', async () => {
    await expect(createUser(deps(), operator, { login: 'ada' })).rejects.toThrow('There is no group yet')
  })

  it('join the first group, with a generated password unless one is given', async () => {
    const first = await firstStart(deps(), nothing)
    const ada = await createUser(deps(), operator, { login: 'ada' })
    expect(ada).toEqual({ login: 'ada', groupGuid: first?.groupGuid, password: expect.stringMatching(/^\w{20}$/) })
    const bob = await createUser(deps(), operator, {
      login: 'bob',
      password: 'correct horse',
      groupGuid: ada.groupGuid,
    })
    expect(bob.password).toBeUndefined()
    expect((await createToken(deps(), operator, { login: 'bob', label: 'test' })).login).toBe('bob')
  })

  it.each([
    [{ login: 'admin' }, 'The login "admin" is taken'],
    [{ login: 'Ada' }, 'is not a valid login'],
    [{ login: '' }, 'is not a valid login'],
    [{ login: 'ada', password: 'short' }, 'Allowed: 8 to 256 characters'],
    [{ login: 'ada', groupGuid: 'Bnone' }, 'There is no group "Bnone".'],
  ])('refuses %j', async (input, message) => {
    await firstStart(deps(), nothing)
    await expect(createUser(deps(), operator, input)).rejects.toThrow(message)
  })
})

describe('operations from outside', () => {
  it.each([
    ['dropEverything', {}, 'There is no operation "dropEverything".'],
    ['constructor', {}, 'There is no operation'],
    ['createToken', null, 'arguments must be object'],
    ['createToken', {}, 'must have required properties login'],
    ['createToken', { login: 1, label: 'x' }, 'login must be string'],
    ['createToken', { login: 'a'.repeat(1001), label: 'x' }, 'login must not have more than 1000 characters'],
  ])('%s with wrong arguments is refused (%#)', async (name, given, message) => {
    await expect(operate(deps(), operator, name, given)).rejects.toMatchObject({
      name: 'Refusal',
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    })
  })

  it('are for the operator only', async () => {
    const admin = { ...operator, login: 'admin', isOperator: false }
    await expect(operate(deps(), admin, 'listTokens', {})).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})
