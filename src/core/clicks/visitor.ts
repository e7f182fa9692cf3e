/**
 * The visitor as a number that tells repeated visits of one day apart and nothing more: a hash of address and agent
 * under a salt that is random, changes every UTC day and is deleted afterwards. The address is not kept.
 */
import { hash } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'

export interface DailySalts {
  /** The salt of a day, counted in days since 1970-01-01 UTC. The same day has the same salt for as long as it is kept. */
  of(day: number): string
}

export const dayLength = 86_400_000

// Reused, and the digest as a string: a new buffer for each click would cost three times the hash itself.
const bytes = new Uint8Array(8)
const number = new BigUint64Array(bytes.buffer)

export function visitorHash(salt: string, address: string, userAgent: string): bigint {
  const digest = hash('sha256', `${salt}\n${address}\n${userAgent}`, 'binary')
  for (let index = 0; index < 8; index++) bytes[index] = digest.charCodeAt(index)
  return number[0] ?? 0n
}

/**
 * The client's address out of a peer address or a whole `X-Forwarded-For` value; empty when there is none. Each of
 * `trustProxy` proxies appended the address it was asked from, so the client is that many entries from the right:
 * anything further left is the client's own claim. A shorter list means fewer proxies than configured: its first entry.
 */
export function clientIp(forwarded: string, trustProxy: number): string {
  // Nearly always the whole of it.
  if (isIPv4(forwarded)) return forwarded
  if (!forwarded.includes(',')) return plainAddress(forwarded)
  const entries = forwarded.split(',')
  const client = entries.at(-Math.max(1, trustProxy)) ?? entries[0] ?? ''
  return plainAddress(client)
}

/** Without brackets, port, zone and the IPv6 dress of an IPv4 address; empty when that leaves no address. */
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
