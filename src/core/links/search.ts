/**
 * What finds a link by what people type: words, and the place a link leads to. Stores narrow the field down with what
 * their engine can do and leave the last word to this file, so that every engine finds the same.
 */
import { invalid } from '../refusal.js'
import type { Link } from './link.js'

/** Both in lower case; an empty one does not matter. */
export interface Destination {
  readonly host: string
  readonly path: string
}

/** The words of a free text, each once. */
export function wordsOf(query: string): readonly string[] {
  const words = new Set(query.toLowerCase().split(/\s+/).filter(Boolean))
  if (words.size > mostWords) throw invalid('query', `Search for at most ${mostWords} words at once.`, 'shortlinks')
  return [...words]
}

// Our choice: each word is looked for in five places of every link that comes into question.
const mostWords = 10

/** Our choice: every word must occur somewhere, whole or as a part of another, in whichever order. */
export function mentions(link: Link, words: readonly string[]): boolean {
  const backHalves = link.keywords.map((address) => address.slice(address.indexOf('/') + 1))
  const texts = [link.title ?? '', link.longUrl, link.hash, ...backHalves, ...link.tags]
  const lower = texts.map((text) => text.toLowerCase())
  return words.every((word) => lower.some((text) => text.includes(word)))
}

/** `example.com`, `example.com/blog` or `/blog`; scheme, port, query and fragment are understood and ignored. */
export function parseDestination(text: string): Destination {
  const [, authority = '', path = ''] = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)([^?#]*)/i.exec(text) ?? []
  const host = hostOf(authority.trim())
  if (host === '' && path === '') {
    throw invalid('hostnamePathQuery', 'Send a host name, a path that begins with a slash, or both.', 'shortlinks')
  }
  // Long URLs are kept in ASCII.
  return {
    host,
    path: path
      .trimEnd()
      .replace(/[^ -~]+/g, encodeURIComponent)
      .toLowerCase(),
  }
}

/** Our choice: the host or a part of it from a dot on, and the beginning of the path. */
export function leadsTo(longUrl: string, destination: Destination): boolean {
  const [, authority = '', path = ''] = /^https?:\/\/([^/?#]*)([^?#]*)/.exec(longUrl.toLowerCase()) ?? []
  const host = withoutPort(authority)
  const isHost = destination.host === '' || host === destination.host || host.endsWith(`.${destination.host}`)
  return isHost && path.startsWith(destination.path)
}

/** As long URLs spell hosts: lower case, and punycode beyond ASCII. */
function hostOf(authority: string): string {
  const typed = authority.replace(/^\.+/, '')
  return withoutPort(URL.canParse(`http://${typed}`) ? new URL(`http://${typed}`).host : typed.toLowerCase())
}

function withoutPort(authority: string): string {
  return authority.replace(/:\d*$/, '').replace(/\.$/, '')
}
