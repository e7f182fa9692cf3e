/**
 * Blobs as objects of an S3-compatible store: AWS, MinIO, Ceph, R2 and others. Each request is tried three times; a store
 * that does not answer then is a `Refusal`, and one that refuses us is an error that names its reason.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Blobs } from '../../core/images/blobs.js'
import { Refusal } from '../../core/values/refusal.js'
import { CircuitBreaker, type Remote } from '../../lib/circuit-breaker.js'
import { messageOf } from '../../lib/message-of.js'
import { authorizationFor, type S3Credentials, sha256 } from './s3-signature.js'

export interface S3Blobs extends Blobs, Remote {
  /** Writes an object and removes it again. */
  check(): Promise<void>
}

export interface S3Options {
  /** Milliseconds for each request. */
  readonly timeout?: number
  /** Milliseconds before a request is tried again; twice as many before the last time. */
  readonly pause?: number
  /** Milliseconds for all attempts of a request together. */
  readonly totalTimeout?: number
}

/** The store works, but not for us. */
export class S3RefusedError extends Error {
  override readonly name = 'S3RefusedError'

  constructor(
    readonly status: number,
    /** `NoSuchBucket`; empty when it gives none. */
    readonly code: string,
  ) {
    super(`The S3 store answered ${status} ${code}`.trimEnd())
  }
}

const attempts = 3
/** Somebody waits for it. */
const usualTotalTimeout = 15_000
const probeTimeout = 2000
/** Milliseconds: a store that refuses us needs the operator. */
const checkEvery = 60_000
const nothing = new Uint8Array()

export function s3Blobs(url: string, options: S3Options = {}): S3Blobs {
  const { timeout = 10_000, pause = 250, totalTimeout = usualTotalTimeout } = options
  const location = locationOf(url)

  const breaker = new CircuitBreaker({ probe: () => sendOnce({ method: 'GET', key: 'probe' }, probeTimeout) })
  // Only for the status: a store that refuses one request may accept the next, so all are sent.
  const permission = new CircuitBreaker({ probe: check, pause: checkEvery })

  async function ask(method: string, key: string, bytes: Uint8Array = nothing, type?: string): Promise<S3Answer> {
    if (breaker.failure !== undefined) throw unreachable(new Error(breaker.failure))
    const until = performance.now() + totalTimeout
    let failure: unknown
    for (let attempt = 1; attempt <= attempts && performance.now() < until; attempt += 1) {
      if (attempt > 1) await wait(pause * (attempt - 1))
      try {
        const answer = await sendOnce(
          { method, key, bytes, type },
          Math.min(timeout, Math.max(1, until - performance.now())),
        )
        breaker.succeeded()
        return answer
      } catch (error) {
        failure = error
      }
    }
    breaker.failed(messageOf(failure))
    throw unreachable(failure)
  }

  /** Rejects when the store does not answer, or cannot work at the moment. */
  async function sendOnce(request: S3Request, limit: number): Promise<S3Answer> {
    const answer = await send(location, request, limit)
    if (answer.status >= 500 || answer.status === 429) throw refusedBy(answer)
    return answer
  }

  function refused(answer: S3Answer): Error {
    const error = refusedBy(answer)
    permission.failed(error.message)
    return error
  }

  async function put(key: string, bytes: Uint8Array, type: string): Promise<void> {
    const answer = await ask('PUT', key, bytes, type)
    if (answer.status !== 200) throw refused(answer)
  }

  async function remove(key: string): Promise<void> {
    const answer = await ask('DELETE', key)
    if (answer.status >= 300 && codeOf(answer) !== 'NoSuchKey') throw refused(answer)
  }

  async function check(): Promise<void> {
    const key = `check-${randomUUID()}`
    await put(key, nothing, 'text/plain')
    await remove(key)
    permission.succeeded()
  }

  return {
    server: {
      get status() {
        return breaker.failure === undefined && permission.failure !== undefined ? permission.status : breaker.status
      },
    },
    async put(key, bytes, type) {
      await put(key, bytes, type)
      permission.succeeded()
    },
    remove,
    async get(key) {
      const answer = await ask('GET', key)
      if (answer.status === 200) return answer.bytes
      if (codeOf(answer) === 'NoSuchKey') return undefined
      throw refused(answer)
    },
    check,
  }
}

interface S3Location extends S3Credentials {
  readonly origin: string
  /** Bucket and prefix, percent-encoded, without a slash at the end. */
  readonly path: string
}

/** `https://KEY:SECRET@host/bucket/prefix?region=us-east-1&style=path` (docs/api/images.md#where-files-are) */
export function locationOf(text: string): S3Location {
  const url = new URL(text)
  const [bucket = '', ...prefix] = url.pathname.split('/').filter((part) => part !== '')
  const isVirtual = url.searchParams.get('style') === 'virtual'
  const parts = (isVirtual ? prefix : [bucket, ...prefix]).map((part) => encoded(decodeURIComponent(part)))
  return {
    origin: `${url.protocol}//${isVirtual ? `${bucket}.` : ''}${url.host}`,
    path: parts.map((part) => `/${part}`).join(''),
    region: url.searchParams.get('region') ?? 'us-east-1',
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
  }
}

/** As signatures want it: everything but letters, digits and `-._~`. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

interface S3Request {
  readonly method: string
  readonly key: string
  readonly bytes?: Uint8Array
  readonly type?: string | undefined
}

interface S3Answer {
  readonly status: number
  readonly bytes: Uint8Array
}

async function send(location: S3Location, request: S3Request, timeout: number): Promise<S3Answer> {
  const { method, key, bytes = nothing, type } = request
  const path = `${location.path}/${key}`
  const signed = {
    host: new URL(location.origin).host,
    'x-amz-content-sha256': sha256(bytes),
    'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    ...(type !== undefined && { 'content-type': type }),
  }
  const authorization = authorizationFor({ method, path, headers: signed }, location)
  const response = await fetch(location.origin + path, {
    method,
    headers: { ...signed, authorization },
    ...(method === 'PUT' && { body: new Uint8Array(bytes) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(Math.ceil(timeout)),
  })
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
}

function unreachable(cause: unknown): Refusal {
  const message = 'The S3 store cannot be reached. Try again later.'
  return Object.assign(new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 5 }), { cause })
}

/** `NoSuchKey`; empty when it gives none. */
function codeOf({ bytes, status }: S3Answer): string {
  if (status === 200) return ''
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(Buffer.from(bytes).toString()) ?? []
  return code
}

function refusedBy(answer: S3Answer): S3RefusedError {
  return new S3RefusedError(answer.status, codeOf(answer))
}
