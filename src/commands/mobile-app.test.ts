import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../../test/support/run-command.js'
import { firstStart } from '../core/administration/first-start.js'
import { systemClock } from '../core/values/time.js'
import { openSqlite } from '../storage/records/sqlite.js'

let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-mobile-app-'))
  const records = await openSqlite(join(folder, 'records.sqlite'))
  await records.migrate()
  await firstStart({ ...records, clock: systemClock }, { login: 'admin', password: 'correct horse', token: undefined })
  await records.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

const shortlink = (...argv: string[]) => runCommand([...argv, '--data-dir', folder])

const fingerprint = Array(32).fill('AB').join(':')

it('registers an application for Android, lists and removes it', async () => {
  const flags = ['--os', 'android', '--uri-scheme', 'shop', '--package', 'com.shop', '--fingerprint', fingerprint]
  const added = await shortlink('mobile-app', 'add', 'My shop', ...flags, '--json')
  expect(added).toMatchObject({ code: 0, err: '' })
  const app = JSON.parse(added.out)
  expect(app.association).toEqual({ os: 'android', packageName: 'com.shop', fingerprints: [fingerprint] })

  const { out } = await shortlink('mobile-app', 'list')
  expect(out).toMatch(new RegExp(`${app.guid} +My shop +android +shop:// +com.shop +- +${app.organizationGuid}`))

  expect((await shortlink('mobile-app', 'allow', app.guid)).out).toBe(
    `The built-in domains now list the mobile app ${app.guid}.`,
  )
  expect((await shortlink('mobile-app', 'list')).out).toMatch(/ com.shop +allowed /)
  expect((await shortlink('mobile-app', 'deny', app.guid)).code).toBe(0)

  expect(await shortlink('mobile-app', 'remove', app.guid)).toEqual({
    code: 0,
    out: `Mobile app ${app.guid} is removed.`,
    err: '',
  })
  expect((await shortlink('mobile-app', 'list')).out).toBe('There are no mobile apps.')
})

it('registers an application for iOS and says how to use it', async () => {
  const flags = ['--os', 'ios', '--uri-scheme', 'shop', '--app-id', 'ABCDE12345.com.shop', '--path', '/a/*,NOT /b']
  const { code, out } = await shortlink('mobile-app', 'add', 'My shop', ...flags)
  expect(code).toBe(0)
  expect(out).toMatch(/Use "app_guid": "A\w{10}" in deep links\./)
})

it.each([
  ['a system that is none', ['add', 'x', '--os', 'bada', '--uri-scheme', 'x'], 'The os of a mobile app is ios or'],
  [
    'an unknown organization',
    ['add', 'x', '--os', 'ios', '--uri-scheme', 'x', '--organization', 'O1'],
    'no organization',
  ],
  ['an unknown application to allow', ['allow', 'A1'], 'There is no mobile app "A1".'],
  ['an unknown application', ['remove', 'A1'], 'There is no mobile app "A1".'],
])('says what is wrong with %s', async (_, words, message) => {
  const { code, err } = await shortlink('mobile-app', ...words)
  expect(code).toBe(1)
  expect(err).toContain(message)
})
