/**
 * Creates X.509 certificates: a certificate authority, and server certificates signed by it. Node can read certificates
 * but not create them. Keys are P-256, which every TLS 1.2 client supports.
 */
// The x509 library needs this polyfill for its decorators, so it must be imported first.
import 'reflect-metadata'
import { createPrivateKey, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

/** Both in PEM. */
export interface Certified {
  readonly certificate: string
  readonly key: string
}

export interface Validity {
  readonly from: Date
  readonly days: number
}

export async function makeAuthority(name: string, validity: Validity): Promise<Certified> {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: commonName(name),
    ...moments(validity),
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: pemOf(certificate), key: await keyPem(keys.privateKey) }
}

/** A certificate for these host names and IPs; the first one becomes the common name. */
export async function makeServerCertificate(
  authority: Certified,
  hosts: readonly [string, ...string[]],
  validity: Validity,
): Promise<Certified> {
  const issuer = new x509.X509Certificate(authority.certificate)
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    // Copies the encoded name of the authority: some clients compare bytes.
    issuer: issuer.subjectName,
    subject: commonName(hosts[0].slice(0, maxNameLength)),
    ...moments(validity),
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) ? 'ip' : 'dns', value: host }) as const),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { certificate: pemOf(certificate), key: await keyPem(keys.privateKey) }
}

/** Maximum length of a common name (X.520). */
const maxNameLength = 64
const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(curve, true, ['sign', 'verify'])
}

function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', der, curve, false, ['sign'])
}

function commonName(name: string): x509.JsonName {
  return [{ CN: [name] }]
}

function moments({ from, days }: Validity) {
  return { notBefore: from, notAfter: new Date(from.getTime() + days * 86_400_000) }
}

function pemOf(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  return String(createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }).export({ type: 'pkcs8', format: 'pem' }))
}
