import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CertificateInput, streamCertificate } from './stream-certificate.js'

const now = Date.parse('2026-11-15T06:00:00Z')
const day = 86_400_000

describe('the certificate of the stream', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'shortlink-certificates-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  const input = (input: Partial<CertificateInput> = {}): CertificateInput => ({
    dataDir,
    host: 'stream.example.com',
    certificateFile: undefined,
    keyFile: undefined,
    now,
    ...input,
  })

  it('is made at the first start and kept', () => {
    const first = streamCertificate(input())
    expect(streamCertificate(input())).toEqual(first)
    expect(first.authorityFile).toBe(join(dataDir, 'stream-ca.pem'))
    const leaf = new X509Certificate(first.certificate)
    expect(leaf.verify(new X509Certificate(readFileSync(join(dataDir, 'stream-ca.pem'))).publicKey)).toBe(true)
    expect(leaf.checkHost('stream.example.com')).toBeDefined()
    expect(leaf.checkHost('localhost')).toBeDefined()
    expect(first.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  })

  it('keeps its keys from others', () => {
    streamCertificate(input())
    for (const file of ['stream-ca-key.pem', 'stream-key.pem']) {
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
    }
  })

  it.each([
    ['for another name', { host: 'other.example.com' }],
    ['for an address', { host: '192.0.2.7' }],
    ['in its last months', { now: now + 560 * day }],
  ])('is made anew %s, by the same authority', async (_case, change) => {
    const first = streamCertificate(input())
    const authority = readFileSync(join(dataDir, 'stream-ca.pem'), 'utf8')
    const second = streamCertificate(input(change))
    expect(second.fingerprint).not.toBe(first.fingerprint)
    expect(readFileSync(join(dataDir, 'stream-ca.pem'), 'utf8')).toBe(authority)
    expect(streamCertificate(input(change))).toEqual(second)
  })

  it('is made anew with its authority when a file is damaged', () => {
    const first = streamCertificate(input())
    writeFileSync(join(dataDir, 'stream-ca-key.pem'), 'nonsense')
    expect(streamCertificate(input()).fingerprint).not.toBe(first.fingerprint)
  })

  it('is the one that is configured', () => {
    const made = streamCertificate(input())
    const files = { certificateFile: join(dataDir, 'mine.pem'), keyFile: join(dataDir, 'mine-key.pem') }
    writeFileSync(files.certificateFile, made.certificate)
    writeFileSync(files.keyFile, made.key)
    expect(streamCertificate(input(files))).toEqual({ ...made, authorityFile: undefined })
  })

  it('is refused when it is half, missing, no certificate, or of another key', () => {
    const made = streamCertificate(input())
    const [certificateFile, keyFile] = [join(dataDir, 'mine.pem'), join(dataDir, 'stream-ca-key.pem')]
    expect(() => streamCertificate(input({ keyFile }))).toThrow('needs both nsqdCertificate')
    expect(() => streamCertificate(input({ certificateFile, keyFile }))).toThrow('cannot read')
    writeFileSync(certificateFile, 'nonsense')
    expect(() => streamCertificate(input({ certificateFile, keyFile }))).toThrow('not a certificate and key in PEM')
    writeFileSync(certificateFile, made.certificate)
    expect(() => streamCertificate(input({ certificateFile, keyFile }))).toThrow('does not match the key')
  })
})
