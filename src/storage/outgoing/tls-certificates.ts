/**
 * Reads the certificate of a host name by a TLS handshake, as a browser would, with the address rules of all outgoing
 * connections. It sends no request. It only reports; core interprets.
 */
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import type {
  CertificateFault,
  CertificateFinding,
  CertificateLookup,
  ConnectionFault,
} from '../../core/domains/certificate-check.js'
import type { DnsLookup } from '../../core/domains/dns-check.js'
import { addressGuard } from './address-guard.js'

export interface TlsCertificatesOptions {
  readonly dnsLookup: DnsLookup
  /** Networks that are permitted although they are not public, in CIDR notation (`outgoingAllow`). */
  readonly allow: readonly string[]
  /** 443 by default. */
  readonly port?: number
  /** Certificate authority in PEM, instead of those that Node trusts. */
  readonly ca?: string
  /** Milliseconds for connection and handshake. */
  readonly timeout?: number
}

export function tlsCertificates(options: TlsCertificatesOptions): CertificateLookup {
  const kindOf = addressGuard(options.allow)
  return {
    async read(name) {
      const { records } = await options.dnsLookup.lookup(name)
      // IPv4 first: not every network has IPv6, and the service would blame the domain for its own.
      const addresses = ['A', 'AAAA'].flatMap((type) => records.filter((record) => record.type === type))
      const [address] = addresses.map(({ value }) => value)
      if (address === undefined) return failed('no-address')
      // One forbidden IP refuses the name: a name with public and private IPs is an attack.
      if (addresses.some(({ value }) => kindOf(value) === 'forbidden')) return failed('not-public')
      return handshake(name, address, options)
    },
  }
}

function handshake(
  name: string,
  address: string,
  { port = 443, ca, timeout = 5000 }: TlsCertificatesOptions,
): Promise<CertificateFinding> {
  return new Promise((resolve) => {
    const given = ca === undefined ? {} : { ca }
    // Nothing is sent, so a certificate that is not trusted can be read without harm.
    const socket = connect({ host: address, port, servername: name, rejectUnauthorized: false, ...given })
    // The service closes without waiting for it.
    socket.unref()
    const end = (finding: CertificateFinding) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(finding)
    }
    const timer = setTimeout(() => end(failed('timeout', address)), timeout).unref()
    socket.once('secureConnect', () => end(findingOf(socket)))
    socket.on('error', (error) => end(failed(connectionFaultOf(error), address)))
    socket.once('close', () => end(failed('no-certificate', address)))
  })
}

function failed(reason: ConnectionFault, address?: string): CertificateFinding {
  return { outcome: 'failed', reason, ...(address !== undefined && { address }) }
}

function findingOf(socket: TLSSocket): CertificateFinding {
  const certificate = socket.getPeerCertificate()
  const validUntil = Date.parse(certificate.valid_to)
  return {
    outcome: 'read',
    issuer: issuerOf(certificate),
    validUntil: Number.isNaN(validUntil) ? undefined : validUntil,
    names: (certificate.subjectaltname ?? '').split(', ').map((name) => name.replace(/^\w+( Address)?:/, '')),
    fault: socket.authorized ? undefined : faultOf(socket, certificate),
  }
}

function faultOf(socket: TLSSocket, { subject, issuer }: PeerCertificate): CertificateFault {
  // A code, though its type says otherwise.
  const known = faults[String(socket.authorizationError)]
  return known ?? (JSON.stringify(subject) === JSON.stringify(issuer) ? 'self-signed' : 'other')
}

function issuerOf({ issuer }: PeerCertificate): string {
  const names = issuer as Partial<typeof issuer> | undefined
  return [names?.O ?? names?.CN ?? 'an unnamed authority'].flat()[0] ?? ''
}

const faults: Readonly<Record<string, CertificateFault>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other-name',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown-issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown-issuer',
}

function connectionFaultOf(error: NodeJS.ErrnoException): ConnectionFault {
  const { code = '' } = error
  if (/WRONG_VERSION|HTTP_REQUEST|PACKET_LENGTH|UNEXPECTED_MESSAGE/.test(code)) return 'not-tls'
  // An alert, or a connection that ends in the handshake: what servers do without a certificate for the name.
  if (/^(?:ERR_SSL|EPROTO|ECONNRESET)/.test(code)) return 'no-certificate'
  return code === 'ETIMEDOUT' ? 'timeout' : 'refused'
}
