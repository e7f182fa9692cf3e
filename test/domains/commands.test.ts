import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { firstStart } from '../../src/core/administration/first-start.js'
import { systemClock } from '../../src/core/values/time.js'
import { controlSocketPath } from '../../src/edges/control/client.js'
import { startControl } from '../../src/edges/control/server.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { type DnsServer, startDnsServer } from '../support/dns-server.js'
import { runCommand } from '../support/run-command.js'
import { type StartedApp, startApp } from '../support/start-app.js'

let folder: string
let dns: DnsServer
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-domain-'))
  dns = await startDnsServer(new Map([['go.example.com', { A: ['203.0.113.7'] }]]))
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await dns.close()
})

function shortlink(dataDir: string, ...args: string[]) {
  return runCommand(args, {
    env: { SHORTLINK_DATA_DIR: dataDir, SHORTLINK_DNS_SERVERS: dns.address, SHORTLINK_DNS_TARGETS: '203.0.113.7' },
    cwd: folder,
  })
}

async function walk(dataDir: string, groupGuid: string): Promise<void> {
  const domain = (...args: string[]) => shortlink(dataDir, 'domain', ...args)

  expect((await domain('list')).out).toBe('There are no branded domains.')
  const groups = ['--group', groupGuid, '--group', groupGuid]
  const added = await domain('add', 'Go.Example.com', ...groups, '--root-url', 'https://example.com')
  expect(added).toMatchObject({ code: 0, err: '' })
  expect(added.out).toMatch(/^Domain go\.example\.com was added to organization O\w{10}\.\n/)
  expect(await domain('add', 'go.example.com')).toMatchObject({ code: 1, err: 'The domain go.example.com is taken.' })
  expect((await domain('add', 'localhost')).err).toContain('is not a domain name')
  expect((await domain('add', 'x.example.com', '--group', 'Bnowhere')).err).toBe('There is no group "Bnowhere".')
  expect((await domain('add', 'x.example.com', '--organization', 'Ox')).err).toBe('There is no organization "Ox".')

  expect((await domain('verify', 'go.example.com')).out).toBe('go.example.com points here: A 203.0.113.7.')
  const elsewhere = await domain('add', 'other.example.com')
  const advice = 'other.example.com has no A, AAAA or CNAME. Set for other.example.com: A 203.0.113.7.'
  expect(elsewhere.out).toContain(`\n${advice}\n"shortlink domain verify other.example.com"`)
  expect(await domain('verify', 'other.example.com')).toEqual({ code: 1, out: '', err: advice })
  const asJson = await domain('verify', 'other.example.com', '--json')
  expect({ ...asJson, out: JSON.parse(asJson.out) }).toMatchObject({ code: 1, out: { match: false } })
  await domain('remove', 'other.example.com')
  expect((await domain('verify', 'x.example.com')).err).toBe('There is no domain "x.example.com".')

  const bare = await domain('unassign', 'go.example.com', '--group', groupGuid)
  expect(bare.out).toBe('Groups that may create links on go.example.com: none.')
  expect((await domain('unassign', 'go.example.com', '--group', groupGuid)).err).toContain(
    'does not use go.example.com',
  )
  expect((await domain('assign', 'go.example.com', '--group', 'Bnowhere')).code).toBe(1)
  expect((await domain('assign', 'go.example.com', '--group', groupGuid)).out).toContain(groupGuid)

  const [heading, row] = (await domain('list')).out.split('\n')
  expect(heading).toMatch(/^NAME +ORGANIZATION +OWNERSHIP +GROUPS +ROOT +NOT FOUND$/)
  expect(row).toMatch(new RegExp(`^go\\.example\\.com +O\\w{10} +proven +${groupGuid} +https://example\\.com/ +-$`))
  const [listed] = JSON.parse((await domain('list', '--json')).out)
  expect(listed).toMatchObject({ name: 'go.example.com', createdBy: 'operator', groupGuids: [groupGuid] })

  const set = await domain('set', 'go.example.com', '--not-found-url', 'https://example.com/lost', '--root-url', '')
  expect(set.out).toBe(
    'Visitors of go.example.com itself are redirected to a page of the service.\n' +
      'Visitors of links that do not exist are redirected to https://example.com/lost.',
  )
  expect((await domain('set', 'go.example.com')).err).toBe('Give --root-url URL, --not-found-url URL, or both.')
  expect((await domain('set', 'x.example.com', '--root-url', '')).err).toBe('There is no domain "x.example.com".')
  for (const url of ['https://example.com/a\r\nb', 'https://exa\tmple.com/', 'https://go.example.com/x']) {
    expect((await domain('set', 'go.example.com', '--root-url', url)).code).toBe(1)
  }

  expect((await domain('remove', 'go.example.com')).out).toBe('Domain go.example.com was removed. Its links are kept.')
  expect((await domain('remove', 'go.example.com')).code).toBe(1)

  const only = await domain('add', 'go.example.com')
  expect(only.out).toContain(`\nGroups that may create links on it: ${groupGuid}.\n`)
  await domain('remove', 'go.example.com')
  await shortlink(dataDir, 'group', 'create', 'Another')
  const several = await domain('add', 'go.example.com')
  expect(several.out).toContain('\nNo group may use it yet: "shortlink domain assign go.example.com --group GUID".\n')
}

describe('shortlink domain rename', () => {
  const both = { domains: ['one.example', 'two.example'] as [string, string], anyHost: false }

  async function start(config: Partial<Config>): Promise<StartedApp> {
    return startApp({ dataDir: folder, ...both, ...config })
  }

  it('works while the service runs: links use the new name at once', async () => {
    const started = await start({})
    const control = await startControl(controlSocketPath(folder), started.app, pino({ level: 'silent' }))
    const body = { long_url: 'https://example.com/', domain: 'two.example' }
    const { body: link } = await started.request('POST', '/v4/shorten', { body })
    const hash = link.id.split('/')[1]
    const renamed = await shortlink(folder, 'domain', 'rename', 'two.example', 'Three.example')
    expect(renamed).toMatchObject({ code: 0, err: '' })
    expect(renamed.out).toBe(
      'The built-in domain two.example is now called three.example. Its links work under both names.\n' +
        'Replace two.example by three.example in --domains before the next start, or the old name returns.',
    )
    for (const host of ['two.example', 'three.example']) {
      expect((await started.request('GET', `/${hash}`, { token: null, headers: { host } })).status).toBe(301)
      expect((await started.request('GET', `/v4/shortlinks/${host}/${hash}`)).body.id).toBe(`three.example/${hash}`)
    }
    const rename = async (...names: string[]) => (await shortlink(folder, 'domain', 'rename', ...names)).err
    expect(await rename('two.example', 'x.example')).toBe(
      'There is no built-in domain "two.example": there are one.example, three.example.',
    )
    expect(await rename('one.example', 'three.example')).toBe('three.example is another built-in domain.')
    expect(await rename('one.example', 'https://x.example')).toContain('is not a host name')
    await control.close()
    await started.close()
  })

  it('works while the service is stopped: it then starts with the new name', async () => {
    const started = await start({})
    const body = { long_url: 'https://example.com/', domain: 'two.example' }
    const { body: link } = await started.request('POST', '/v4/shorten', { body })
    await started.close()
    const renamed = { domains: ['one.example', 'three.example'] as [string, string] }
    await expect(start(renamed)).rejects.toThrow('bin/shortlink domain rename two.example NEW')
    expect((await shortlink(folder, 'domain', 'rename', 'two.example', 'three.example')).code).toBe(0)
    const again = await start(renamed)
    const found = await again.request('GET', `/v4/shortlinks/${link.id}`)
    expect([found.status, found.body.id]).toEqual([200, link.id.replace('two', 'three')])
    await again.close()
  })
})

describe('shortlink domain', () => {
  it('works on the records while the service is stopped', async () => {
    const records = await openSqlite(join(folder, 'records.sqlite'))
    await records.migrate()
    const inputs = { login: 'admin', password: 'correct horse', token: undefined }
    const first = await firstStart({ accounts: records.accounts, clock: systemClock }, inputs)
    await records.close()
    await walk(folder, first?.groupGuid ?? '')
  })

  describe('while the service runs', () => {
    let started: StartedApp
    beforeEach(async () => {
      started = await startApp({ dnsServers: [dns.address], dnsTargets: ['203.0.113.7'] })
    })
    afterEach(() => started.close())

    it('works through the socket, and takes effect at once', async () => {
      const { dataDir } = started.app.config
      const control = await startControl(controlSocketPath(dataDir), started.app, pino({ level: 'silent' }))
      await shortlink(dataDir, 'domain', 'add', 'new.example.com', '--root-url', 'https://example.com/')
      const headers = { host: 'new.example.com' }
      expect((await started.request('GET', '/', { token: null, headers })).status).toBe(302)
      await shortlink(dataDir, 'domain', 'remove', 'new.example.com')
      expect((await started.request('GET', '/', { token: null, headers })).status).toBe(200)
      await walk(dataDir, started.groupGuid)
      await control.close()
    })
  })
})
