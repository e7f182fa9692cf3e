import { execFileSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Certified, makeAuthority, makeServerCertificate } from './certificate.js'

const from = new Date('2026-11-15T06:00:00Z')
const authority = makeAuthority('shortlink authority é', { from, days: 3650 })
const server = serverFor(['stream.example.com', 'localhost', '127.0.0.1', '::1', '2001:db8::ff00:42:8329'])

function serverFor(hosts: readonly [string, ...string[]]): Certified {
  return makeServerCertificate(authority, hosts, { from, days: 825 })
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

  it('makes a server certificate that the authority has signed', async () => {
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

  it('holds from and until the given moments, also beyond 2049', async () => {
    expect(new Date(leaf.validFrom)).toEqual(from)
    expect(new Date(leaf.validTo)).toEqual(new Date('2029-02-17T06:00:00Z'))
    const far = makeAuthority('far', { from, days: 36_500 })
    expect(new Date(new X509Certificate(far.certificate).validTo).getUTCFullYear()).toBe(2126)
  })

  it('serves names longer than a common name may be', async () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`
    expect(new X509Certificate(serverFor([long]).certificate).checkHost(long)).toBeDefined()
  })

  it('spells the name of the authority as its certificate does, byte by byte', async () => {
    const leaf = new X509Certificate(makeServerCertificate(earlier, ['a.example'], { from, days: 825 }).certificate)
    expect(leaf.verify(new X509Certificate(earlier.certificate).publicKey)).toBe(true)
    // UTF8String, although all of it would fit into a PrintableString.
    expect(leaf.raw.includes(Buffer.from('\u000c#shortlink stream authority 0a1b2c3d'))).toBe(true)
  })

  it('has positive serial numbers of at least 64 bits', async () => {
    for (let round = 0; round < 20; round++) {
      const { serialNumber } = new X509Certificate(serverFor(['a.example']).certificate)
      expect(serialNumber).toMatch(/^[0-9A-F]{16,40}$/)
    }
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

/** As the first releases made it and keep it in their data directories. */
const earlier: Certified = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUKgAwIBAgIQS78Thn7ou3vKiZrBDjhyhDAKBggqhkjOPQQDAjAuMSww
KgYDVQQDDCNzaG9ydGxpbmsgc3RyZWFtIGF1dGhvcml0eSAwYTFiMmMzZDAeFw0y
NjExMTQwNjAwMDBaFw0zNjExMTEwNjAwMDBaMC4xLDAqBgNVBAMMI3Nob3J0bGlu
ayBzdHJlYW0gYXV0aG9yaXR5IDBhMWIyYzNkMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAE7c5WGoQwFY+HJhxQ2D+k7ctE4x7O6sDOKwyIR64dXVKHC0QdW9FIZe3v
tB0C8ru7W+IulusDsj2lHtp2m2jsiqNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNV
HQ8BAf8EBAMCAQYwHQYDVR0OBBYEFDHOlJ6Bc3hTNMtmIEEokZoKZzOtMAoGCCqG
SM49BAMCA0gAMEUCIG9IQMTlL2NcEd4m05BwDOonhKiI6TTVeD04UDS8N0YQAiEA
qe+8tL3J4K/ENjza04EHmeb6DGuo/4Cy2iKKQqS9HTE=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgI9km33PhfXcQPNZ3
4F7M5IWubqgVFNdkDorbdjlgAB2hRANCAATtzlYahDAVj4cmHFDYP6Tty0TjHs7q
wM4rDIhHrh1dUocLRB1b0Uhl7e+0HQLyu7tb4i6W6wOyPaUe2nabaOyK
-----END PRIVATE KEY-----
`,
}

function version(): string | undefined {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}
