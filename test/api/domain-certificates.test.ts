import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Certified, makeAuthority, makeServerCertificate } from '../../src/lib/certificate.js'
import { nodeDns } from '../../src/storage/dns/node-dns.js'
import { tlsCertificates } from '../../src/storage/outgoing/tls-certificates.js'
import { type DnsServer, startDnsServer } from '../support/dns-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { firstOrganization } from './organize.js'

const day = 86_400_000
const name = 'go.example.com'
let now = Math.floor(Date.now() / 1000) * 1000
let dns: DnsServer
let server: Server
let authority: Certified
let started: StartedApp
let path: string
beforeAll(async () => {
  dns = await startDnsServer(new Map([[name, { A: ['127.0.0.1'] }]]))
  authority = makeAuthority('A test authority', { from: new Date(now - day), days: 1000 })
  server = createServer(await certificateOf(name, 90))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const certificateLookup = tlsCertificates({
    dnsLookup: nodeDns({ servers: [dns.address] }),
    allow: ['127.0.0.0/8'],
    port: (server.address() as AddressInfo).port,
    ca: authority.certificate,
  })
  const config = { dnsTargets: ['127.0.0.1'] as const, dnsServers: [dns.address] }
  started = await startApp(config, { clock: { now: () => now }, certificateLookup })
  path = `/v4/organizations/${await firstOrganization(started)}/domains`
})
afterAll(async () => {
  await started.close()
  server.close()
  await dns.close()
})

async function certificateOf(host: string, days: number): Promise<{ cert: string; key: string }> {
  const { certificate, key } = makeServerCertificate(authority, [host], { from: new Date(now), days })
  return { cert: certificate, key }
}

const get = async () => (await started.request('GET', `${path}/${name}`)).body
const verify = async () => (await started.request('POST', `${path}/${name}/verify`)).body
const until = (days: number) => new Date(now + days * day).toISOString().slice(0, 10)

describe('the certificate of a branded domain', () => {
  it('is not shown before the domain is confirmed', async () => {
    dns.zone.set('later.example.com', { A: ['203.0.113.9'] })
    await started.request('POST', path, { body: { domain: 'later.example.com' } })
    const { body } = await started.request('GET', `${path}/later.example.com`)
    expect([body.verified, body.certificate]).toEqual([false, undefined])
  })

  it('is checked in the background, and then shown with its issuer and its end', async () => {
    await started.request('POST', path, { body: { domain: name } })
    const first = await get()
    expect(first).toMatchObject({ verified: true, certificate: { state: 'checking' } })
    expect(first.certificate.checked_at).toBeUndefined()
    await vi.waitFor(async () => expect((await get()).certificate.state).not.toBe('checking'), 60_000)
    expect((await get()).certificate).toEqual({
      state: 'valid',
      issuer: 'A test authority',
      valid_until: `${new Date(now + 90 * day).toISOString().slice(0, 19)}+0000`,
      explanation: `HTTPS works: the certificate of A test authority is valid until ${until(90)}.`,
      checked_at: `${new Date(now).toISOString().slice(0, 19)}+0000`,
    })
  })

  it('is expiring when it ends within 14 days', async () => {
    server.setSecureContext(await certificateOf(name, 13))
    expect((await get()).certificate.state).toBe('valid')
    const { certificate } = await verify()
    expect([certificate.state, certificate.issuer]).toEqual(['expiring', 'A test authority'])
    expect(certificate.explanation).toContain(until(13))
  })

  it('is invalid, with the reason, when browsers refuse it', async () => {
    server.setSecureContext(await certificateOf('other.example.com', 90))
    const { certificate } = await verify()
    expect(certificate).toMatchObject({
      state: 'invalid',
      explanation: `The certificate is not for ${name}, but for other.example.com.`,
    })
  })

  it('is read again a minute after a fault, without being waited for', async () => {
    server.setSecureContext(await certificateOf(name, 90))
    now += 59_000
    expect((await get()).certificate.state).toBe('invalid')
    now += 1000
    expect((await get()).certificate.state).toBe('invalid')
    await vi.waitFor(async () => expect((await get()).certificate.state).toBe('valid'), 60_000)
  })

  it('is not in the list of domains', async () => {
    const { body } = await started.request('GET', path)
    expect(body.domains.map((domain: { certificate?: unknown }) => domain.certificate)).toEqual([undefined, undefined])
  })

  it('is unreachable when nothing answers', async () => {
    server.close()
    const { certificate } = await verify()
    expect(certificate).toMatchObject({ state: 'unreachable', explanation: expect.stringContaining('port 443') })
    expect(certificate.issuer).toBeUndefined()
  })
})
