import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Who may see operational details: a program on this machine that connects directly, or a client with opsToken.
 * Requests through a local proxy also come from this machine; they are recognised by the headers that proxies add.
 */
export function hasOpsToken(request: FastifyRequest, opsToken: string | undefined): boolean {
  const given = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (opsToken !== undefined && given !== undefined && isSame(given, opsToken)) return true
  return isLoopback(request.socket.remoteAddress ?? '') && !proxyHeaders.some((name) => name in request.headers)
}

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}
