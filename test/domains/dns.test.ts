import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DnsCheck, requireDns } from '../../src/core/domains/dns-check.js'
import type { Domain } from '../../src/core/domains/domains.js'
import { Refusal } from '../../src/core/values/refusal.js'
import { nodeDns } from '../../src/storage/dns/node-dns.js'
import { type DnsServer, startDnsServer } from '../support/dns-server.js'

let server: DnsServer
let now: number
beforeEach(async () => {
  server = await startDnsServer(new Map([['links.example.net', { A: ['203.0.113.7'], AAAA: ['2001:db8::7'] }]]))
  now = 1_700_000_000_000
})
afterEach(() => server.close())

const quick = { total: 300, packet: 100 }

function check(targets: readonly string[], servers = [server.address], derived: readonly string[] = []): DnsCheck {
  return new DnsCheck({ dnsLookup: nodeDns({ servers, timeouts: quick }), clock: { now: () => now } }, targets, derived)
}

describe('nodeDns', () => {
  const ask = (name: string) => nodeDns({ servers: [server.address], timeouts: quick }).lookup(name)

  it('finds A, AAAA and CNAME records, normalized', async () => {
    server.zone.set('go.example.com', { CNAME: 'Links.Example.NET' })
    server.zone.set('Links.Example.NET', { A: ['203.0.113.7'] })
    expect(await ask('links.example.net')).toEqual({
      records: [
        { type: 'A', value: '203.0.113.7' },
        { type: 'AAAA', value: '2001:db8::7' },
      ],
      failure: undefined,
    })
    expect((await ask('go.example.com')).records).toContainEqual({ type: 'CNAME', value: 'links.example.net' })
  })

  it('treats a missing name or record as an answer', async () => {
    server.zone.set('empty.example.com', {})
    expect(await ask('nowhere.example.com')).toEqual({ records: [], failure: undefined })
    expect(await ask('empty.example.com')).toEqual({ records: [], failure: undefined })
  })

  it('reports why there is no answer: an error or a timeout', async () => {
    server.zone.set('broken.example.com', 'servfail')
    server.zone.set('silent.example.com', 'silence')
    expect((await ask('broken.example.com')).failure).toBe('the resolver reported a server failure')
    expect((await ask('silent.example.com')).failure).toBe('the resolver did not answer in time')
  })
})

describe('the DNS of a branded domain', () => {
  const alias = { CNAME: 'links.example.net' }
  const domain: Domain = {
    key: 'go.example.com',
    name: 'go.example.com',
    byFormerName: false,
    branded: true,
    organizationGuid: 'O1',
    isProven: true,
    groupGuids: [],
    rootUrl: undefined,
    notFoundUrl: undefined,
  }
  const domains = { prove: async () => 'no-domain' as const }

  it.each([
    ['a subdomain that is an alias of a target name', 'go.example.com', alias],
    ['addresses of the target name', 'example.com', { A: ['203.0.113.7'], AAAA: ['2001:db8::7'] }],
    ['one of the addresses of the target name', 'example.com', { A: ['203.0.113.7'] }],
    ['a target address', 'example.com', { A: ['198.51.100.1'] }],
    ['a target address in IPv6', 'go.example.com', { AAAA: ['2001:db8::1'] }],
  ])('is good with %s', async (_case, name, records) => {
    server.zone.set(name, records)
    const state = await check(['links.example.net', '198.51.100.1', '2001:db8::1']).check(name)
    expect(state).toMatchObject({ match: true, checked: true })
    expect(state.explanation).toContain(`${name} points here`)
  })

  it.each([
    ['nothing', 'go.example.com', undefined, 'go.example.com has no A, AAAA or CNAME. Set'],
    ['an address elsewhere', 'go.example.com', { A: ['192.0.2.1'] }, 'points elsewhere: A 192.0.2.1. Set'],
    ['an alias of something else', 'go.example.com', { CNAME: 'other.example' }, 'elsewhere: CNAME other.example. Set'],
    [
      'an address elsewhere beside a good one',
      'go.example.com',
      { A: ['203.0.113.7', '192.0.2.1'] },
      'Remove: A 192.0.2.1.',
    ],
  ])(
    'is wrong with %s, and the explanation says what was found and what to set',
    async (_case, name, records, text) => {
      if (records) server.zone.set(name, records)
      const state = await check(['links.example.net']).check(name)
      expect(state.match).toBe(false)
      expect(state.explanation).toContain(text)
      expect(state.explanation).toContain(`Set for ${name}: CNAME links.example.net.`)
    },
  )

  it('requires A records where no CNAME is possible or no name is configured', async () => {
    const both = [
      { type: 'A', value: '203.0.113.7' },
      { type: 'AAAA', value: '2001:db8::7' },
    ]
    expect((await check(['links.example.net']).check('example.com')).required).toEqual(both)
    expect((await check(['links.example.net']).check('example.co.uk')).required).toEqual(both)
    expect((await check(['203.0.113.7', '2001:db8::7']).check('go.example.com')).required).toEqual(both)
    expect((await check(['links.example.net']).check('go.example.co.uk')).required).toEqual([
      { type: 'CNAME', value: 'links.example.net' },
    ])
  })

  it('follows from the base URL without targets, and nothing depends on it', async () => {
    const derived = check([], [server.address], ['links.example.net'])
    const missing = {
      match: false,
      checked: false,
      required: [{ type: 'CNAME', value: 'links.example.net' }],
      found: [],
    }
    expect(await derived.check('go.example.com')).toMatchObject(missing)
    const addresses = [
      { type: 'A', value: '203.0.113.7' },
      { type: 'AAAA', value: '2001:db8::7' },
    ]
    expect(await derived.check('example.com')).toMatchObject({ required: addresses })
    expect(await requireDns({ dns: derived, domains }, domain)).toBeUndefined()
    server.zone.set('go.example.com', alias)
    expect(await derived.verify('go.example.com')).toMatchObject({ match: true, checked: false })
  })

  it('is not known without targets and without a public base URL', async () => {
    const state = await check([]).check('go.example.com')
    expect(state).toMatchObject({ match: false, checked: false, required: [] })
    expect(state.explanation).toContain('--base-url')
    expect(server.asked('go.example.com')).toBe(0)
  })

  it('is cached for five minutes if correct and for fifteen seconds if wrong', async () => {
    const dns = check(['links.example.net'])
    expect((await dns.check('go.example.com')).match).toBe(false)
    server.zone.set('go.example.com', alias)
    now += 14_000
    expect((await dns.check('go.example.com')).match).toBe(false)
    now += 1_000
    expect((await dns.check('go.example.com')).match).toBe(true)
    server.zone.delete('go.example.com')
    now += 299_000
    expect((await dns.check('go.example.com')).match).toBe(true)
    now += 1_000
    expect((await dns.check('go.example.com')).match).toBe(false)
  })

  it('is checked again by verify, and once for concurrent callers', async () => {
    const dns = check(['links.example.net'])
    const [first] = await Promise.all([1, 2, 3].map(() => dns.check('go.example.com')))
    expect(first?.match).toBe(false)
    // A, AAAA and CNAME.
    expect(server.asked('go.example.com')).toBe(3)
    server.zone.set('go.example.com', alias)
    expect((await dns.verify('go.example.com')).match).toBe(true)
    expect((await dns.check('go.example.com')).match).toBe(true)
  })

  it('counts as wrong for a new domain while the resolver fails', async () => {
    server.zone.set('go.example.com', 'servfail')
    const state = await check(['links.example.net']).check('go.example.com')
    expect(state.match).toBe(false)
    expect(state.explanation).toContain('go.example.com could not be checked: the resolver reported a server failure.')
    server.zone.set('links.example.net', 'servfail')
    server.zone.set('go.example.com', { A: ['203.0.113.7'] })
    expect((await check(['links.example.net']).check('go.example.com')).explanation).toContain('could not be checked')
  })

  it('stays correct while the resolver fails', async () => {
    const dns = check(['links.example.net'])
    server.zone.set('go.example.com', alias)
    expect((await dns.check('go.example.com')).match).toBe(true)
    server.zone.set('go.example.com', 'silence')
    now += 3_600_000
    expect((await dns.check('go.example.com')).match).toBe(true)
    const asked = server.asked('go.example.com')
    expect((await dns.check('go.example.com')).match).toBe(true)
    expect(server.asked('go.example.com')).toBe(asked)
    server.zone.set('go.example.com', { A: ['192.0.2.1'] })
    now += 15_000
    expect((await dns.check('go.example.com')).match).toBe(false)
  })

  it('rejects new links on the domain with the explanation, and never on a built-in one', async () => {
    const dns = check(['links.example.net'])
    const refusal = await requireDns({ dns, domains }, domain).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({
      code: 'DNS_CONFIGURATION_ERROR',
      details: { resource: 'shortlinks', reason: expect.stringContaining('Set for go.example.com: CNAME') },
    })
    await requireDns({ dns, domains }, { ...domain, branded: false })
  })
})
