/**
 * A number that identifies repeated visits within one day and nothing more: a hash of IP address and user agent with a
 * random salt, which changes every UTC day and is deleted afterwards. The IP address is not stored.
 */
import { hash } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'

export interface DailySalts {
  /** The salt of a day, counted in days since 1970-01-01 UTC. Stable while the salt is kept. */
  of(day: number): string
}

export const dayLength = 86_400_000

// Reused, with a string digest: a new buffer per click costs three times the hash itself.
const bytes = new Uint8Array(8)
const number = new BigUint64Array(bytes.buffer)

export function visitorHash(salt: string, address: string, userAgent: string): bigint {
  const digest = hash('sha256', `${salt}\n${address}\n${userAgent}`, 'binary')
  for (let index = 0; index < 8; index++) bytes[index] = digest.charCodeAt(index)
  return number[0] ?? 0n
}

/**
 * The client's IP address, from the peer address or a whole `X-Forwarded-For` value; empty if there is none. Each of
 * `trustProxy` proxies appended the address of its peer, so the client is that many entries from the right; entries
 * further left can be forged. A shorter list means fewer proxies than configured: use its first entry.
 */
export function clientIp(forwarded: string, trustProxy: number): string {
  // Fast path: nearly always a single IPv4 address.
  if (isIPv4(forwarded)) return forwarded
  if (!forwarded.includes(',')) return plainAddress(forwarded)
  const entries = forwarded.split(',')
  const client = entries.at(-Math.max(1, trustProxy)) ?? entries[0] ?? ''
  return plainAddress(client)
}

/** Strips brackets, port, zone and the IPv6 mapping of an IPv4 address; empty for an invalid address. */
function plainAddress(text: string): string {
  const trimmed = text.trim()
  const bare = bracketed.exec(trimmed)?.[1] ?? ipv4WithPort.exec(trimmed)?.[1] ?? trimmed
  const address = bare.split('%', 1)[0] ?? ''
  if (isIP(address) === 0) return ''
  return address.includes(':') ? fromMapped(address.toLowerCase()) : address
}

const bracketed = /^\[([^\]]+)\](?::\d+)?$/
const ipv4WithPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/

/** `::ffff:1.2.3.4` and `::ffff:102:304` are 1.2.3.4. */
function fromMapped(address: string): string {
  const tail = /^(?:::|0:0:0:0:0:)ffff:(.+)$/.exec(address)?.[1]
  if (tail === undefined) return address
  if (isIPv4(tail)) return tail
  const [high, low, more] = tail.split(':').map((part) => Number.parseInt(part, 16))
  if (high === undefined || low === undefined || more !== undefined) return address
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
