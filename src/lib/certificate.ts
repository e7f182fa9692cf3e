/**
 * X.509 certificates, as much of them as a service needs that makes its own: an authority, and certificates for servers
 * signed by it. Written in DER by hand (RFC 5280, X.690), because node can read certificates but make none, and a program
 * to call for it may not be installed. Keys are P-256: every TLS 1.2 client has that curve.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'

/** Both in PEM. */
export interface Certified {
  readonly certificate: string
  readonly key: string
}

export interface Validity {
  readonly from: Date
  readonly days: number
}

export function makeAuthority(name: string, validity: Validity): Certified {
  const { publicKey, privateKey } = newKeys()
  const extensions = [
    extension(oids.basicConstraints, sequence(boolean(true)), 'critical'),
    // keyCertSign and cRLSign
    extension(oids.keyUsage, bitString(Buffer.of(0x06), 1), 'critical'),
    extension(oids.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
  ]
  const certificate = signed({ issuer: name, subject: name, validity, publicKey, extensions }, privateKey)
  return { certificate, key: pemOf(privateKey) }
}

/** For servers that are reached by these host names and addresses, the first of which is its name. */
export function makeServerCertificate(
  authority: { readonly name: string; readonly key: KeyObject; readonly publicKey: KeyObject },
  hosts: readonly [string, ...string[]],
  validity: Validity,
): Certified {
  const { publicKey, privateKey } = newKeys()
  const authorityKey = contextual(0, keyIdentifier(authority.publicKey), 'primitive')
  const extensions = [
    extension(oids.basicConstraints, sequence(), 'critical'),
    // digitalSignature
    extension(oids.keyUsage, bitString(Buffer.of(0x80), 7), 'critical'),
    extension(oids.extendedKeyUsage, sequence(oid(oids.serverAuth))),
    extension(oids.subjectAlternativeName, sequence(...hosts.map(alternativeName))),
    extension(oids.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
    extension(oids.authorityKeyIdentifier, sequence(authorityKey)),
  ]
  const subject = hosts[0].slice(0, longestName)
  const certificate = signed({ issuer: authority.name, subject, validity, publicKey, extensions }, authority.key)
  return { certificate, key: pemOf(privateKey) }
}

/** What a common name may be at most. */
const longestName = 64

interface Content {
  readonly issuer: string
  readonly subject: string
  readonly validity: Validity
  readonly publicKey: KeyObject
  readonly extensions: readonly Buffer[]
}

function signed({ issuer, subject, validity, publicKey, extensions }: Content, key: KeyObject): string {
  const algorithm = sequence(oid(oids.ecdsaWithSha256))
  const until = new Date(validity.from.getTime() + validity.days * 86_400_000)
  const content = sequence(
    // Version 3, which counts from 0.
    contextual(0, integer(Buffer.of(2))),
    integer(serialNumber()),
    algorithm,
    nameOf(issuer),
    sequence(time(validity.from), time(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    contextual(3, sequence(...extensions)),
  )
  const whole = sequence(content, algorithm, bitString(sign('sha256', content, key)))
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function newKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }))
}

/** 127 random bits: positive, and nobody else's. The second highest bit is set, so that no leading byte is empty. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

/** The usual one: SHA-1 of the key itself, without what says which kind it is. Names a key, protects nothing. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(0x04), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return createHash('sha1').update(point).digest()
}

const oids = {
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const

function nameOf(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(oid(oids.commonName), tagged(0x0c, Buffer.from(commonName, 'utf8')))))
}

function extension(id: string, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value))
}

function alternativeName(host: string): Buffer {
  return isIP(host)
    ? contextual(7, addressBytes(host), 'primitive')
    : contextual(2, Buffer.from(host, 'latin1'), 'primitive')
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // URL writes it out in its shortest form: at most one gap, and no dots.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)))
  const [head, tail] = [words(before), words(after ?? '')]
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]))
}

function time(moment: Date): Buffer {
  const text = `${moment.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`
  // RFC 5280: two digits for the year until 2049, four from then on.
  return moment.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text))
}

function sequence(...deps: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(deps))
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes)
}

function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.of(value ? 0xff : 0))
}

function octetString(bytes: Buffer): Buffer {
  return tagged(0x04, bytes)
}

function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.of(unusedBits), bytes]))
}

function contextual(number: number, content: Buffer, form?: 'primitive'): Buffer {
  return tagged((form ? 0x80 : 0xa0) + number, content)
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Seven bits a byte, highest first, all but the last marked. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80)
  return bytes
}

function tagged(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  if (length < 0x100) return Buffer.of(0x81, length)
  return Buffer.of(0x82, length >> 8, length & 0xff)
}
