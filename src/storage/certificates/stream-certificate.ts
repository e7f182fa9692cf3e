/**
 * The TLS certificate of the stream: the configured one, or a generated one in the data directory, signed by a
 * generated authority that readers trust once. It is renewed before it expires and when the host name changes.
 */
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { type Certified, makeAuthority, makeServerCertificate } from '../../lib/certificate.js'
import { OperatorError } from '../../lib/operator-error.js'

export interface StreamCertificate extends Certified {
  /** SHA-256, formatted for people to compare. */
  readonly fingerprint: string
  /** The CA file that readers must trust; undefined with a configured certificate. */
  readonly authorityFile: string | undefined
}

export interface CertificateInput {
  readonly dataDir: string
  /** Host name for readers. */
  readonly host: string
  readonly certificateFile: string | undefined
  readonly keyFile: string | undefined
  readonly now: number
}

export function streamCertificate(input: CertificateInput): StreamCertificate {
  const { certificateFile, keyFile } = input
  return requireStreamCertificate(certificateFile, keyFile) ?? ownCertificate(input)
}

/** The configured certificate; undefined when none is configured. Throws when it is not usable. */
export function requireStreamCertificate(
  certificateFile: string | undefined,
  keyFile: string | undefined,
): StreamCertificate | undefined {
  if (certificateFile === undefined && keyFile === undefined) return undefined
  if (certificateFile === undefined || keyFile === undefined) {
    throw new OperatorError(
      'The stream needs both nsqdCertificate (--nsqd-certificate) and nsqdKey (--nsqd-key), or neither.',
    )
  }
  const certificate = given(certificateFile, 'nsqdCertificate')
  const key = given(keyFile, 'nsqdKey')
  return { certificate, key, fingerprint: fingerprintOf(certificate, key, certificateFile), authorityFile: undefined }
}

// The authority is valid for ten years, so that readers need it only once. A certificate is valid for as long as
// Apple's clients accept, and is renewed at a start in its last nine months.
const authorityDays = 3650
const certificateDays = 825
const renewBefore = 275

function ownCertificate({ dataDir, host, now }: CertificateInput): StreamCertificate {
  const authorityFile = join(dataDir, 'stream-ca.pem')
  const authority = kept(authorityFile, join(dataDir, 'stream-ca-key.pem'), {
    isGood: isGoodFor(now, certificateDays),
    make: () => makeAuthority(`shortlink stream authority ${randomBytes(4).toString('hex')}`, days(now, authorityDays)),
  })
  const { publicKey } = new X509Certificate(authority.certificate)
  const hosts: readonly [string, ...string[]] = [host, ...localHosts.filter((local) => local !== host)]
  const { certificate, key } = kept(join(dataDir, 'stream-certificate.pem'), join(dataDir, 'stream-key.pem'), {
    isGood: (certificate) =>
      certificate.verify(publicKey) &&
      hosts.every((each) => (isIP(each) ? certificate.checkIP(each) : certificate.checkHost(each)) !== undefined) &&
      isGoodFor(now, renewBefore)(certificate),
    make: () => makeServerCertificate(authority, hosts, days(now, certificateDays)),
  })
  return { certificate, key, fingerprint: new X509Certificate(certificate).fingerprint256, authorityFile }
}

/** nsqjs checks the name `localhost` when it connects to an IP address. */
const localHosts = ['localhost', '127.0.0.1', '::1']

/** Starts a day earlier, for clocks that are slow. */
function days(now: number, days: number) {
  return { from: new Date(Math.floor(now / 1000) * 1000 - 86_400_000), days }
}

function isGoodFor(now: number, atLeast: number): (certificate: X509Certificate) => boolean {
  return (certificate) => Date.parse(certificate.validTo) > now + atLeast * 86_400_000
}

/** Returns the certificate and key in the files if both exist, match and are valid; otherwise creates them. */
function kept(
  certificateFile: string,
  keyFile: string,
  by: { isGood(certificate: X509Certificate): boolean; make(): Certified },
): Certified {
  const found = readBoth(certificateFile, keyFile)
  if (found && by.isGood(new X509Certificate(found.certificate))) return found
  const made = by.make()
  // The certificate last: it is useless without its key, so its presence means that both are complete.
  write(keyFile, made.key, 0o600)
  write(certificateFile, made.certificate, 0o644)
  return made
}

function readBoth(certificateFile: string, keyFile: string): Certified | undefined {
  const certificate = read(certificateFile)
  const key = read(keyFile)
  if (certificate === undefined || key === undefined) return undefined
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)) ? { certificate, key } : undefined
  } catch {
    // A damaged file is created again, like a missing one.
    return undefined
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function write(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode })
  renameSync(`${file}.new`, file)
}

function given(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`${option}: cannot read ${file} (${(error as Error).message}).`)
  }
}

function fingerprintOf(certificate: string, key: string, file: string): string {
  let read: X509Certificate
  let fits: boolean
  try {
    read = new X509Certificate(certificate)
    fits = read.checkPrivateKey(createPrivateKey(key))
  } catch (error) {
    throw new OperatorError(`${file} and its key are not a certificate and key in PEM (${(error as Error).message}).`)
  }
  if (!fits) throw new OperatorError(`${file} does not match the key in nsqdKey: give the key of this certificate.`)
  return read.fingerprint256
}
