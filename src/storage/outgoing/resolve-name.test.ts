import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DnsServer, startDnsServer, type Zone } from '../../../test/support/dns-server.js'
import { nameResolver, type ResolveName } from './resolve-name.js'

describe('names of outgoing requests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-hosts-'))
  const hostsFile = join(folder, 'hosts')
  let dns: DnsServer
  let resolveName: ResolveName
  beforeAll(async () => {
    const zone: Zone = new Map([
      ['both.example.com', { A: ['203.0.113.7'], AAAA: ['2001:db8::7'] }],
      ['four.example.com', { A: ['203.0.113.8'] }],
      ['listed.example.com', { A: ['203.0.113.9'] }],
    ])
    for (let index = 0; index < 8; index++) zone.set(`silent${index}.example.com`, 'silence')
    dns = await startDnsServer(zone)
    writeFileSync(
      hostsFile,
      '127.0.0.1 here\n# 192.0.2.1 listed.example.com\n192.0.2.7\tother Listed.Example.com # own\n',
    )
    resolveName = nameResolver({ servers: [dns.address], hostsFile })
  })
  afterAll(async () => {
    await dns.close()
    rmSync(folder, { recursive: true })
  })

  function resolve(name: string): Promise<readonly string[]> {
    return new Promise((done, fail) =>
      resolveName(name, { all: true }, (error, found) =>
        error ? fail(error) : done(found.map((each) => each.address)),
      ),
    )
  }

  it('come from DNS, with all their addresses', async () => {
    expect(await resolve('both.example.com')).toEqual(['203.0.113.7', '2001:db8::7'])
    expect(await resolve('Four.Example.com.')).toEqual(['203.0.113.8'])
    await expect(resolve('missing.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })

  it('come from the hosts file first', async () => {
    expect(await resolve('listed.example.com')).toEqual(['192.0.2.7'])
    expect(await resolve('HERE')).toEqual(['127.0.0.1'])
  })

  it('that are not public are left to the system', async () => {
    expect(await resolve('localhost')).toContain('127.0.0.1')
    expect(dns.asked('localhost')).toBe(0)
  })

  it('whose server is silent delay no others', async () => {
    let given = 0
    const silent = Array.from({ length: 8 }, (_, index) =>
      resolve(`silent${index}.example.com`).catch(() => {
        given += 1
      }),
    )
    expect(await resolve('four.example.com')).toEqual(['203.0.113.8'])
    expect(await resolve('localhost')).toContain('127.0.0.1')
    expect(given).toBe(0)
    await Promise.all(silent)
    expect(given).toBe(8)
  })
})
