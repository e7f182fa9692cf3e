import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Certified, makeAuthority, makeServerCertificate } from './certificate.js'

const from = new Date('2026-11-15T06:00:00Z')
const authority = makeAuthority('shortlink authority é', { from, days: 3650 })
const server = serverFor(['stream.example.com', 'localhost', '127.0.0.1', '::1', '2001:db8::ff00:42:8329'])

function serverFor(hosts: readonly [string, ...string[]]): Certified {
  const key = createPrivateKey(authority.key)
  return makeServerCertificate({ name: 'shortlink authority é', key, publicKey: createPublicKey(key) }, hosts, {
    from,
    days: 825,
  })
}

describe('certificates', () => {
  const ca = new X509Certificate(authority.certificate)
  const leaf = new X509Certificate(server.certificate)

  it('makes an authority that signs itself', () => {
    expect(ca.ca).toBe(true)
    expect(ca.subject).toBe('CN=shortlink authority é')
    expect(ca.verify(ca.publicKey)).toBe(true)
    expect(ca.checkPrivateKey(createPrivateKey(authority.key))).toBe(true)
  })

  it('makes a server certificate that the authority has signed', () => {
    expect(leaf.ca).toBe(false)
    expect(leaf.verify(ca.publicKey)).toBe(true)
    expect(leaf.checkIssued(ca)).toBe(true)
    expect(leaf.checkPrivateKey(createPrivateKey(server.key))).toBe(true)
    expect(leaf.serialNumber).not.toBe(new X509Certificate(serverFor(['a.example']).certificate).serialNumber)
  })

  it('names every host and address', () => {
    expect(leaf.checkHost('stream.example.com')).toBeDefined()
    expect(leaf.checkHost('localhost')).toBeDefined()
    expect(leaf.checkHost('other.example.com')).toBeUndefined()
    expect(leaf.checkIP('127.0.0.1')).toBeDefined()
    expect(leaf.checkIP('::1')).toBeDefined()
    expect(leaf.checkIP('2001:db8::ff00:42:8329')).toBeDefined()
    expect(leaf.checkIP('127.0.0.2')).toBeUndefined()
  })

  it('holds from and until the given moments, also beyond 2049', () => {
    expect(new Date(leaf.validFrom)).toEqual(from)
    expect(new Date(leaf.validTo)).toEqual(new Date('2029-02-17T06:00:00Z'))
    const far = makeAuthority('far', { from, days: 36_500 })
    expect(new Date(new X509Certificate(far.certificate).validTo).getUTCFullYear()).toBe(2126)
  })

  it('serves names longer than a common name may be', () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`
    expect(new X509Certificate(serverFor([long]).certificate).checkHost(long)).toBeDefined()
  })

  const openssl = version()
  it.skipIf(openssl === undefined)('is what openssl takes for valid', () => {
    const folder = mkdtempSync(join(tmpdir(), 'shortlink-certificate-'))
    try {
      writeFileSync(join(folder, 'ca.pem'), authority.certificate)
      writeFileSync(join(folder, 'leaf.pem'), server.certificate)
      const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'stream.example.com']
      const said = execFileSync('openssl', [...args, '-CAfile', 'ca.pem', 'leaf.pem'], {
        cwd: folder,
        encoding: 'utf8',
      })
      expect(said).toBe('leaf.pem: OK\n')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

function version(): string | undefined {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}
