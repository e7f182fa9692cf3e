/**
 * The certificate of the stream: the configured one, or one that the service makes for itself and keeps in its data
 * directory, signed by an authority that readers can trust once and for all. It is made anew in time, and for a new name.
 */
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Certified } from '../../lib/certificate.js'
import { OperatorError } from '../../lib/operator-error.js'

export interface StreamCertificate extends Certified {
  /** SHA-256, as people compare it. */
  readonly fingerprint: string
  /** The file that readers are given to trust; undefined where the operator brought a certificate. */
  readonly authorityFile: string | undefined
}

export interface CertificateInput {
  readonly dataDir: string
  /** Where readers reach it. */
  readonly host: string
  readonly certificateFile: string | undefined
  readonly keyFile: string | undefined
  readonly now: number
}

export async function streamCertificate(input: CertificateInput): Promise<StreamCertificate> {
  const { certificateFile, keyFile } = input
  return requireStreamCertificate(certificateFile, keyFile) ?? (await ownCertificate(input))
}

/** The certificate that the operator brought; undefined when there is none. Refuses one that cannot be used. */
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
  const [certificate, key] = [given(certificateFile, 'nsqdCertificate'), given(keyFile, 'nsqdKey')]
  return { certificate, key, fingerprint: fingerprintOf(certificate, key, certificateFile), authorityFile: undefined }
}

// Our choice: an authority for ten years, so that readers are told once; a certificate for as long as Apple's clients
// accept any, made anew at a start in its last nine months.
const authorityDays = 3650
const certificateDays = 825
const renewBefore = 275

async function ownCertificate({ dataDir, host, now }: CertificateInput): Promise<StreamCertificate> {
  const authorityFile = join(dataDir, 'stream-ca.pem')
  const authority = await kept(authorityFile, join(dataDir, 'stream-ca-key.pem'), {
    isGood: isGoodFor(now, certificateDays),
    make: async () => {
      const { makeAuthority } = await maker()
      return makeAuthority(`shortlink stream authority ${randomBytes(4).toString('hex')}`, days(now, authorityDays))
    },
  })
  const { publicKey } = new X509Certificate(authority.certificate)
  const hosts: readonly [string, ...string[]] = [host, ...localHosts.filter((local) => local !== host)]
  const { certificate, key } = await kept(join(dataDir, 'stream-certificate.pem'), join(dataDir, 'stream-key.pem'), {
    isGood: (certificate) =>
      certificate.verify(publicKey) &&
      hosts.every((each) => (isIP(each) ? certificate.checkIP(each) : certificate.checkHost(each)) !== undefined) &&
      isGoodFor(now, renewBefore)(certificate),
    make: async () => (await maker()).makeServerCertificate(authority, hosts, days(now, certificateDays)),
  })
  return { certificate, key, fingerprint: new X509Certificate(certificate).fingerprint256, authorityFile }
}

/** Loaded when one is made, which is once in a year or two: a start should not wait for it. */
function maker() {
  return import('../../lib/certificate.js')
}

/** nsqjs checks the name `localhost` wherever it was sent to an IP address. */
const localHosts = ['localhost', '127.0.0.1', '::1']

/** A day earlier, for clocks that are slow. */
function days(now: number, days: number) {
  return { from: new Date(Math.floor(now / 1000) * 1000 - 86_400_000), days }
}

function isGoodFor(now: number, atLeast: number): (certificate: X509Certificate) => boolean {
  return (certificate) => Date.parse(certificate.validTo) > now + atLeast * 86_400_000
}

/** What is in the two files, when both are there, belong together and are good; else what is made, written to them. */
async function kept(
  certificateFile: string,
  keyFile: string,
  by: { isGood(certificate: X509Certificate): boolean; make(): Promise<Certified> },
): Promise<Certified> {
  const found = readBoth(certificateFile, keyFile)
  if (found && by.isGood(new X509Certificate(found.certificate))) return found
  const made = await by.make()
  // The certificate last: it is worth nothing without its key, and belongs to it once it is there.
  write(keyFile, made.key, 0o600)
  write(certificateFile, made.certificate, 0o644)
  return made
}

function readBoth(certificateFile: string, keyFile: string): Certified | undefined {
  const [certificate, key] = [read(certificateFile), read(keyFile)]
  if (certificate === undefined || key === undefined) return undefined
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)) ? { certificate, key } : undefined
  } catch {
    // A file that somebody has damaged is made again, like one that is missing.
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
    throw new OperatorError(`${option}: ${file} cannot be read (${(error as Error).message}).`)
  }
}

function fingerprintOf(certificate: string, key: string, file: string): string {
  let read: X509Certificate
  let fits: boolean
  try {
    read = new X509Certificate(certificate)
    fits = read.checkPrivateKey(createPrivateKey(key))
  } catch (error) {
    throw new OperatorError(`${file} and its key are no certificate and key in PEM (${(error as Error).message}).`)
  }
  if (!fits) throw new OperatorError(`${file} does not belong to the key in nsqdKey: give the key it was made for.`)
  return read.fingerprint256
}
