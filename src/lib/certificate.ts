/**
 * Creates X.509 certificates (RFC 5280): a certificate authority, and server certificates signed by it. Node can read
 * certificates but not create them, so their DER is written here. Keys are P-256, which every TLS 1.2 client supports.
 */
import * as crypto from 'node:crypto'
import { isIP } from 'node:net'

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
  const keys = newKeys()
  const subject = commonName(name)
  return certified({ keys, validity, subject, issuer: subject, signingKey: keys.privateKey }, [
    extension(oid.basicConstraints, sequence(der(0x01, Buffer.from([0xff]))), 'critical'),
    // keyCertSign and cRLSign: the last bit is not used.
    extension(oid.keyUsage, der(0x03, Buffer.from([1, 0x06])), 'critical'),
    extension(oid.subjectKeyIdentifier, der(0x04, keyIdentifier(keys.publicKey))),
  ])
}

/** A certificate for these host names and IPs; the first one becomes the common name. */
export function makeServerCertificate(
  authority: Certified,
  hosts: readonly [string, ...string[]],
  validity: Validity,
): Certified {
  const { raw, publicKey } = new crypto.X509Certificate(authority.certificate)
  const keys = newKeys()
  const signingKey = crypto.createPrivateKey(authority.key)
  const subject = commonName(hosts[0].slice(0, maxNameLength))
  return certified({ keys, validity, subject, issuer: subjectOf(raw), signingKey }, [
    extension(oid.basicConstraints, sequence(), 'critical'),
    // digitalSignature: seven bits are not used.
    extension(oid.keyUsage, der(0x03, Buffer.from([7, 0x80])), 'critical'),
    extension(oid.extendedKeyUsage, sequence(der(0x06, oid.serverAuth))),
    extension(
      oid.subjectAltName,
      sequence(...hosts.map((host) => (isIP(host) ? der(0x87, bytesOfIp(host)) : der(0x82, Buffer.from(host))))),
    ),
    extension(oid.subjectKeyIdentifier, der(0x04, keyIdentifier(keys.publicKey))),
    extension(oid.authorityKeyIdentifier, sequence(der(0x80, keyIdentifier(publicKey)))),
  ])
}

/** Maximum length of a common name (X.520). */
const maxNameLength = 64

function newKeys(): crypto.KeyPairKeyObjectResult {
  return crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

interface CertificateParts {
  readonly keys: crypto.KeyPairKeyObjectResult
  readonly validity: Validity
  /** Encoded, as is `issuer`. */
  readonly subject: Buffer
  readonly issuer: Buffer
  readonly signingKey: crypto.KeyObject
}

function certified(
  { keys, validity: { from, days }, subject, issuer, signingKey }: CertificateParts,
  extensions: readonly Buffer[],
): Certified {
  const serial = crypto.randomBytes(16)
  // Positive, and not shorter with a random zero.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const algorithm = sequence(der(0x06, oid.ecdsaWithSha256))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    issuer,
    sequence(time(from), time(new Date(from.getTime() + days * 86_400_000))),
    subject,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = der(0x03, Buffer.from([0]), crypto.sign('sha256', content, signingKey))
  return {
    certificate: new crypto.X509Certificate(sequence(content, algorithm, signature)).toString(),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Object identifiers, encoded. */
const oid = {
  commonName: Buffer.from('550403', 'hex'),
  subjectKeyIdentifier: Buffer.from('551d0e', 'hex'),
  keyUsage: Buffer.from('551d0f', 'hex'),
  subjectAltName: Buffer.from('551d11', 'hex'),
  basicConstraints: Buffer.from('551d13', 'hex'),
  authorityKeyIdentifier: Buffer.from('551d23', 'hex'),
  extendedKeyUsage: Buffer.from('551d25', 'hex'),
  serverAuth: Buffer.from('2b06010505070301', 'hex'),
  ecdsaWithSha256: Buffer.from('2a8648ce3d040302', 'hex'),
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts)
}

function extension(id: Buffer, value: Buffer, critical?: 'critical'): Buffer {
  const mark = critical ? [der(0x01, Buffer.from([0xff]))] : []
  return sequence(der(0x06, id), ...mark, der(0x04, value))
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(der(0x06, oid.commonName), der(0x0c, Buffer.from(name)))))
}

/** UTCTime has two digits for the year, up to 2049; GeneralizedTime has four. */
function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}

/** SHA-1 of the point, which ends the encoded key (RFC 5280, 4.2.1.2). */
function keyIdentifier(key: crypto.KeyObject): Buffer {
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-65)
  return crypto.createHash('sha1').update(point).digest()
}

/** The name of a certificate as it is encoded there: some clients compare bytes. */
function subjectOf(certificate: Buffer): Buffer {
  const [content = certificate] = elementsOf(certificate)
  // Version, serial number, algorithm, issuer, validity, subject.
  return elementsOf(content)[5] ?? Buffer.alloc(0)
}

function elementsOf(parent: Buffer): readonly Buffer[] {
  const elements: Buffer[] = []
  for (let at = spanOf(parent, 0).start; at < parent.length; ) {
    const { end } = spanOf(parent, at)
    elements.push(parent.subarray(at, end))
    at = end
  }
  return elements
}

/** Where the content of an element lies. */
function spanOf(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = bytes.readUInt8(at + 1)
  const start = at + 2 + (first < 128 ? 0 : first & 127)
  return { start, end: start + (first < 128 ? first : bytes.readUIntBE(at + 2, first & 127)) }
}

function bytesOfIp(ip: string): Buffer {
  if (isIP(ip) === 4) return Buffer.from(ip.split('.').map(Number))
  // A URL spells every IPv6 address in hexadecimal groups, at most one gap between them.
  const [before = '', after = ''] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const [head, tail] = [before, after].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
