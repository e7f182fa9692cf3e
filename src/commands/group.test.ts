import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../../test/support/run-command.js'
import { firstStart } from '../core/administration/first-start.js'
import { systemClock } from '../core/values/time.js'
import { openSqlite } from '../storage/records/sqlite.js'

let folder: string
let organization: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-plan-'))
  const records = await openSqlite(join(folder, 'records.sqlite'))
  await records.migrate()
  await firstStart({ ...records, clock: systemClock }, { login: 'admin', password: 'correct horse', token: undefined })
  organization = (await records.groups.organizations('all'))[0]?.guid ?? ''
  await records.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

function shortlink(...argv: string[]) {
  const plans = argv.includes('--plans') ? [] : ['--plans', resolve('deploy/plans.example.json')]
  return runCommand([...argv, '--data-dir', folder, ...plans])
}

it('shows the plan of an organization and gives it another', async () => {
  const before = await shortlink('organization', 'plan', organization)
  expect(before).toMatchObject({ code: 0, err: '' })
  expect(before.out).toContain(`Organization ${organization} has the plan "unlimited".`)
  expect(before.out).toMatch(/^encodes +no limit +0$/m)

  const set = await shortlink('organization', 'plan', organization, '--set', 'free')
  expect(set.out).toContain('now has the plan "free"')
  expect(set.out).toMatch(/^encodes +5 +0$/m)

  const after = JSON.parse((await shortlink('organization', 'plan', organization, '--json')).out)
  expect(after).toMatchObject({ organizationGuid: organization, plan: 'free' })
})

it('wants --force for a plan that locks the organization out', async () => {
  const none = join(folder, 'plans.json')
  writeFileSync(none, JSON.stringify({ none: { limits: { api_requests: 0 } } }))
  const refused = await shortlink('organization', 'plan', organization, '--set', 'none', '--plans', none)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--force on the command line.')])
  const forced = await shortlink('organization', 'plan', organization, '--set', 'none', '--plans', none, '--force')
  expect([forced.code, forced.out]).toEqual([0, expect.stringContaining('now has the plan "none"')])
})

it('refuses plans and organizations that do not exist', async () => {
  expect(await shortlink('organization', 'plan', organization, '--set', 'gold')).toEqual({
    code: 1,
    out: '',
    err: 'There is no plan "gold". There are: unlimited, free, starter, growth, premium, enterprise.',
  })
  const missing = { code: 1, out: '', err: 'There is no organization "Onone".' }
  expect(await shortlink('organization', 'plan', 'Onone', '--set', 'free')).toEqual(missing)
  expect(await shortlink('organization', 'plan', 'Onone')).toEqual(missing)
})
