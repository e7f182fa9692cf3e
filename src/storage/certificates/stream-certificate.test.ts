import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CertificateWish, streamCertificate } from './stream-certificate.js'

const now = Date.parse('2026-11-15T06:00:00Z')
const day = 86_400_000

describe('the certificate of the stream', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'shortlink-certificates-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  const wish = (wish: Partial<CertificateWish> = {}): CertificateWish => ({
    dataDir,
    host: 'stream.example.com',
    certificateFile: undefined,
    keyFile: undefined,
    now,
    ...wish,
  })

  it('is made at the first start and kept', () => {
    const first = streamCertificate(wish())
    expect(streamCertificate(wish())).toEqual(first)
    expect(first.authorityFile).toBe(join(dataDir, 'stream-ca.pem'))
    const leaf = new X509Certificate(first.certificate)
    expect(leaf.verify(new X509Certificate(readFileSync(join(dataDir, 'stream-ca.pem'))).publicKey)).toBe(true)
    expect(leaf.checkHost('stream.example.com')).toBeDefined()
    expect(leaf.checkHost('localhost')).toBeDefined()
    expect(first.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  })

  it('keeps its keys from others', () => {
    streamCertificate(wish())
    for (const file of ['stream-ca-key.pem', 'stream-key.pem']) {
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
    }
  })

  it.each([
    ['for another name', { host: 'other.example.com' }],
    ['for an address', { host: '192.0.2.7' }],
    ['in its last months', { now: now + 560 * day }],
  ])('is made anew %s, by the same authority', (_case, change) => {
    const first = streamCertificate(wish())
    const authority = readFileSync(join(dataDir, 'stream-ca.pem'), 'utf8')
    const second = streamCertificate(wish(change))
    expect(second.fingerprint).not.toBe(first.fingerprint)
    expect(readFileSync(join(dataDir, 'stream-ca.pem'), 'utf8')).toBe(authority)
    expect(streamCertificate(wish(change))).toEqual(second)
  })

  it('is made anew with its authority when a file is damaged', () => {
    const first = streamCertificate(wish())
    writeFileSync(join(dataDir, 'stream-ca-key.pem'), 'nonsense')
    expect(streamCertificate(wish()).fingerprint).not.toBe(first.fingerprint)
  })

  it('is the one that is configured', () => {
    const made = streamCertificate(wish())
    const files = { certificateFile: join(dataDir, 'mine.pem'), keyFile: join(dataDir, 'mine-key.pem') }
    writeFileSync(files.certificateFile, made.certificate)
    writeFileSync(files.keyFile, made.key)
    expect(streamCertificate(wish(files))).toEqual({ ...made, authorityFile: undefined })
  })

  it('is refused when it is half, missing, no certificate, or of another key', () => {
    const made = streamCertificate(wish())
    const [certificateFile, keyFile] = [join(dataDir, 'mine.pem'), join(dataDir, 'stream-ca-key.pem')]
    expect(() => streamCertificate(wish({ keyFile }))).toThrow('needs both nsqdCertificate')
    expect(() => streamCertificate(wish({ certificateFile, keyFile }))).toThrow('cannot be read')
    writeFileSync(certificateFile, 'nonsense')
    expect(() => streamCertificate(wish({ certificateFile, keyFile }))).toThrow('no certificate and key in PEM')
    writeFileSync(certificateFile, made.certificate)
    expect(() => streamCertificate(wish({ certificateFile, keyFile }))).toThrow('does not belong to the key')
  })
})
