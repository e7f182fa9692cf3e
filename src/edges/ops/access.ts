/**
 * Who may see operational details: a program on this machine that connects directly, or a client with opsToken. Requests
 * through a proxy on this machine come from it too. They are recognised by the headers that proxies add, or by a Host that
 * is not one of this machine, which also keeps out pages that a browser on this machine shows (DNS rebinding).
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isSameText } from '../../lib/same-text.js'

export interface OpsAccess {
  /** False: only with the token. */
  readonly isLocalTrusted: boolean
  readonly opsToken: string | undefined
}

export function mayReadDetails(request: IncomingMessage, { isLocalTrusted, opsToken }: OpsAccess): boolean {
  const given = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (opsToken !== undefined && given !== undefined && isSameText(given, opsToken)) return true
  return isLocalTrusted && isDirectFromThisMachine(request)
}

function isDirectFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false
  if (proxyHeaders.some((name) => name in headers)) return false
  const host = (headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '')
  return host === '' || host.toLowerCase() === 'localhost' || isLoopback(host)
}

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}
