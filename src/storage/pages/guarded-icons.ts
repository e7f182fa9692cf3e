/**
 * Fetches pictures that may be the icon of a site. The front page of the site is asked which they are, and not the page that a
 * link leads to: where many people have pages on one host, none of them chooses the icon of the others.
 */
import { iconsNamed } from '../../core/titles/read-icons.js'
import type { Pages } from '../../core/titles/titles.js'
import { parseUrl } from '../../lib/parse-url.js'
import type { GuardedClient, OpenResponse, OutgoingRequest } from '../outgoing/guarded-client.js'
import { OutgoingError } from '../outgoing/outgoing-error.js'

const limits = { page: 128 * 1024, picture: 64 * 1024, milliseconds: 5_000, named: 2 }

export function guardedIcons(client: GuardedClient, headers: Readonly<Record<string, string>>): Pages['icons'] {
  return async function* icons(origin, signal) {
    const request = (url: string, maxBodyBytes: number, accept: string): OutgoingRequest => {
      const most = { timeoutMs: limits.milliseconds, maxBodyBytes, maxRedirects: 3 }
      return { url, headers: { ...headers, accept }, signal, ...most }
    }
    const page = `${origin}/`
    const named = await unlessFailed(
      client.read(request(page, limits.page, 'text/html'), (response) => iconsIn(response, page)),
    )
    // A site that does not answer is not asked again.
    if (!named) return
    for (const url of new Set([...named.slice(0, limits.named), `${origin}/favicon.ico`])) {
      const picture = await unlessFailed(client.request(request(url, limits.picture, 'image/*')))
      if (picture?.status === 200 && picture.body.length > 0) yield picture.body
    }
  }
}

/** None if the page is of another site, or no HTML. */
async function iconsIn({ url, status, headers, body }: OpenResponse, page: string): Promise<readonly string[]> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  if (siteOf(url) !== siteOf(page) || status !== 200 || !/^text\/html/i.test(type) || encoding !== 'identity') return []
  let html = ''
  for await (const chunk of body) {
    html += chunk.toString('latin1')
    const end = html.slice(-chunk.length - '</head'.length)
    if (html.length >= limits.page || /<\/head|<body[\s>]/i.test(end)) break
  }
  return iconsNamed(Buffer.from(html, 'latin1').subarray(0, limits.page).toString('utf8'), url)
}

function siteOf(url: string): string | undefined {
  return parseUrl(url)?.host.replace(/^www\./, '')
}

async function unlessFailed<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof OutgoingError) return undefined
    throw error
  }
}
