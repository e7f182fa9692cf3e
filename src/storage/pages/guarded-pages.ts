/**
 * Fetches the titles of pages and the icons of sites with the guarded client: anybody can make us fetch any URL. It reads no more than it needs,
 * and only from the usual web ports. It knows nothing about links.
 */
import { maxTagLength, readTitle, titleIsComplete } from '../../core/titles/read-title.js'
import type { FetchedTitle, Pages } from '../../core/titles/titles.js'
import { GuardedClient, type GuardedClientOptions, type OpenResponse } from '../outgoing/guarded-client.js'
import { OutgoingError, type OutgoingReason } from '../outgoing/outgoing-error.js'
import { guardedIcons } from './guarded-icons.js'

export interface PageOptions extends Pick<GuardedClientOptions, 'allow' | 'lookup'> {
  readonly limits?: Partial<PageLimits>
  /** URL in the User-Agent where site owners can read about the bot. */
  readonly home: string
}

export interface PageLimits {
  readonly bytes: number
  /** Total time, redirects included. */
  readonly milliseconds: number
}

const usualLimits: PageLimits = { bytes: 512 * 1024, milliseconds: 5_000 }

export function guardedPages(options: PageOptions): Pages {
  const client = new GuardedClient({ ...options, ports: 'web' })
  const limits = { ...usualLimits, ...options.limits }
  const headers = {
    accept: 'text/html',
    'user-agent': `Mozilla/5.0 (compatible; shortlink title bot; +${options.home})`,
    // One page per site: nothing to keep a connection for.
    connection: 'close',
  }

  async function title(url: string, signal: AbortSignal): Promise<FetchedTitle> {
    const input = { url, headers, signal, timeoutMs: limits.milliseconds, maxBodyBytes: limits.bytes, maxRedirects: 3 }
    try {
      return await client.read(input, titleOf)
    } catch (error) {
      if (error instanceof OutgoingError) return { none: outcomes[error.reason] }
      throw error
    }
  }

  async function titleOf({ status, headers, body }: OpenResponse): Promise<FetchedTitle> {
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
    const readable = status === 200 && /^text\/html\s*(?:;|$)/i.test(type) && encoding === 'identity'
    const found = readable ? readTitle(await beginningOf(body), type) : undefined
    return found === undefined ? { none: 'unsuitable' } : { title: found }
  }

  async function beginningOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
    const chunks: Buffer[] = []
    let size = 0
    // Searches only new bytes and the boundary to the previous ones: a page may arrive byte by byte.
    let end = Buffer.alloc(0)
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      const fresh = Buffer.concat([end, chunk])
      if (size >= limits.bytes || titleIsComplete(fresh)) break
      end = fresh.subarray(-maxTagLength)
    }
    return Buffer.concat(chunks).subarray(0, limits.bytes)
  }

  return { title, icons: guardedIcons(client, headers) }
}

const outcomes: Readonly<Record<OutgoingReason, 'refused' | 'unsuitable' | 'failed'>> = {
  forbidden_address: 'refused',
  too_many_redirects: 'unsuitable',
  too_large: 'unsuitable',
  dns: 'failed',
  tls: 'failed',
  connect: 'failed',
  timeout: 'failed',
}
