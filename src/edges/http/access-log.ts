/**
 * The access log: one JSON object per line for every request. Lines are collected and written once a second, so a redirect
 * does not wait for the disk. Queries are left out, because they may contain tokens, and IP addresses unless asked for.
 */
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientIpOf } from './client-ip.js'

export interface AccessLogOptions {
  /** A file; `-` is standard output. */
  readonly file: string
  readonly withIp: boolean
}

export interface AccessEntry {
  readonly method: string
  readonly host: string | undefined
  /** Path and query. */
  readonly url: string
  /** The declared path of an API route. */
  readonly route?: string | undefined
  readonly status: number
  readonly milliseconds: number
  readonly userAgent: string | undefined
  readonly referrer: string | undefined
  readonly ip: string | undefined
}

/** For a request of an API. */
export function logRequest(
  log: AccessLog,
  request: FastifyRequest,
  reply: FastifyReply,
  config: { readonly trustProxy: number },
): void {
  const { method, originalUrl: url, headers, routeOptions } = request
  log.add({
    method,
    url,
    host: headers.host,
    route: routeOptions.url,
    status: reply.statusCode,
    milliseconds: reply.elapsedTime,
    userAgent: headers['user-agent'],
    referrer: headers.referer,
    ip: clientIpOf(request, config),
  })
}

const flushEvery = 1000
const maxWaitingBytes = 64 * 1024
const maxUnreadBytes = 16 * 1024 * 1024

export class AccessLog {
  readonly #options: AccessLogOptions
  readonly #onFailure: (error: unknown) => void
  #stream: Writable
  #waiting: string[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: AccessLogOptions, onFailure: (error: unknown) => void) {
    this.#options = options
    this.#onFailure = onFailure
    this.#stream = this.#open()
  }

  add(entry: AccessEntry): void {
    const { method, host, url, route, status, milliseconds, userAgent, referrer, ip } = entry
    const queryAt = url.indexOf('?')
    const line = `${JSON.stringify({
      time: new Date().toISOString(),
      method,
      host,
      // The last part of this path is a secret.
      path: url.startsWith('/internal/') ? route : queryAt === -1 ? url : url.slice(0, queryAt),
      route,
      status,
      ms: Math.round(milliseconds * 1000) / 1000,
      userAgent,
      referrer: referrer?.replace(/[?#].*/s, ''),
      ...(this.#options.withIp && { ip }),
    })}\n`
    this.#waiting.push(line)
    this.#bytes += line.length
    if (this.#bytes > maxWaitingBytes) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), flushEvery)
  }

  async close(): Promise<void> {
    this.#flush()
    if (this.#options.file !== '-') await new Promise<void>((resolve) => this.#stream.end(resolve))
  }

  #open(): Writable {
    const { file } = this.#options
    if (file === '-') return process.stdout
    return createWriteStream(file, { flags: 'a', mode: 0o600 }).on('error', this.#onFailure)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#bytes = 0
    // It ended by an error, such as a full disk, which may be over.
    if (this.#stream.destroyed) this.#stream = this.#open()
    // A reader that stopped reading must not fill the memory: its lines are dropped.
    if (text !== '' && this.#stream.writableLength < maxUnreadBytes) this.#stream.write(text)
  }
}
