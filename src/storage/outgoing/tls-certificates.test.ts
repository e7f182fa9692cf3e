import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.js'
import { freePort } from '../../../test/support/free-port.js'
import { CertificateCheck } from '../../core/domains/certificate-check.js'
import { type Certified, makeAuthority, makeServerCertificate } from '../../lib/certificate.js'
import { nodeDns } from '../dns/node-dns.js'
import { tlsCertificates } from './tls-certificates.js'

const name = 'go.example.com'
const day = 86_400_000
const now = Math.floor(Date.now() / 1000) * 1000

let dns: DnsServer
let authority: Certified
const servers: Server[] = []
beforeAll(async () => {
  dns = await startDnsServer(new Map([[name, { A: ['127.0.0.1'] }]]))
  authority = makeAuthority('A test authority', { from: new Date(now - 100 * day), days: 1000 })
})
afterAll(async () => {
  for (const server of servers) server.close()
  await dns.close()
})

const read = (port: number, options: { ca?: string; allow?: string[]; timeout?: number; name?: string } = {}) =>
  tlsCertificates({
    dnsLookup: nodeDns({ servers: [dns.address] }),
    allow: ['127.0.0.0/8'],
    port,
    ca: authority.certificate,
    ...options,
  }).read(options.name ?? name)

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function serve(hosts: [string, ...string[]], from: number, days: number): Promise<number> {
  const { certificate, key } = makeServerCertificate(authority, hosts, { from: new Date(from), days })
  return listen(createTlsServer({ cert: certificate, key }))
}

describe('the certificate of a name', () => {
  it('is read with its issuer, its end and its names', async () => {
    expect(await read(await serve([name, 'www.example.com'], now - day, 90))).toEqual({
      outcome: 'read',
      issuer: 'A test authority',
      validUntil: now + 89 * day,
      names: [name, 'www.example.com'],
      fault: undefined,
    })
  })

  it.each([
    ['expired', [name], -20, 10],
    ['not-yet-valid', [name], 1, 10],
    ['other-name', ['other.example.com'], -1, 10],
  ] as const)('is read although browsers refuse it: %s', async (fault, hosts, from, days) => {
    const port = await serve([...hosts], now + from * day, days)
    expect(await read(port)).toMatchObject({ outcome: 'read', issuer: 'A test authority', fault })
  })

  it('has an unknown issuer when the authority is not trusted', async () => {
    const { certificate } = makeAuthority('Another authority', { from: new Date(now - day), days: 10 })
    const port = await serve([name], now - day, 10)
    expect(await read(port, { ca: certificate })).toMatchObject({ outcome: 'read', fault: 'unknown-issuer' })
  })

  it('is self-signed when it is its own issuer', async () => {
    const { certificate, key } = makeAuthority(name, { from: new Date(now - day), days: 10 })
    const port = await listen(createTlsServer({ cert: certificate, key }))
    expect(await read(port)).toMatchObject({ outcome: 'read', fault: 'self-signed' })
  })

  it('has no end when its date cannot be read', async () => {
    const { certificate, key } = makeServerCertificate(authority, [name], { from: new Date(now - day), days: 10 })
    const port = await listen(createTlsServer({ cert: withoutEnd(certificate), key }))
    const check = new CertificateCheck({
      certificateLookup: { read: () => read(port) },
      clock: { now: () => now },
      onFailure: (error) => expect.unreachable(String(error)),
    })
    expect(await check.verify(name)).toMatchObject({ state: 'invalid', validUntil: undefined })
  })
})

/** The second time in a certificate, of 13 characters, is its end. */
function withoutEnd(certificate: string): string {
  const bytes = Buffer.from(certificate.replace(/-----[^-]+-----/g, ''), 'base64')
  const time = Buffer.from([0x17, 13])
  bytes.write('no time', bytes.indexOf(time, bytes.indexOf(time) + 15) + 2, 'latin1')
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`
}

describe('no certificate', () => {
  it.each([
    ['refused', async () => freePort()],
    ['timeout', () => listen(createTcpServer())],
    ['not-tls', () => listen(createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))],
    ['no-certificate', () => listen(createTcpServer((socket) => socket.destroy()))],
    ['no-certificate', () => listen(createTlsServer({}))],
  ])('is found, and why: %s', async (reason, start) => {
    const found = await read(await start(), { timeout: reason === 'timeout' ? 200 : 5000 })
    expect(found).toEqual({ outcome: 'failed', reason, address: '127.0.0.1' })
  })

  it('is looked for at addresses that are not public, unless the operator permits them', async () => {
    let connections = 0
    const port = await listen(createTcpServer(() => (connections += 1)))
    expect(await read(port, { allow: [] })).toEqual({ outcome: 'failed', reason: 'not-public' })
    expect(connections).toBe(0)
  })

  it('is looked for when the name has no address', async () => {
    expect(await read(1, { name: 'nowhere.example.com' })).toEqual({ outcome: 'failed', reason: 'no-address' })
  })
})
