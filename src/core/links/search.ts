/**
 * Searches links by words and by destination. Stores preselect links with their engine's functions (a superset), and
 * this file decides which links match, so that every engine finds the same links.
 */

import { domainToUnicode } from 'node:url'
import { decodedUri } from '../../lib/decoded-uri.js'
import { isLonger } from '../../lib/is-longer.js'
import { parseUrl } from '../../lib/parse-url.js'
import { longUrlLimit } from '../values/long-url.js'
import { invalid } from '../values/refusal.js'
import type { Link } from './link.js'

/** Both in lower case; empty strings match everything. */
export interface Destination {
  readonly host: string
  readonly path: string
}

/** The distinct words of a query, normalised by `folded`. */
export function wordsOf(query: string): readonly string[] {
  const refused = () => {
    const message = `Search for at most ${maxWords} words at once, each of at most ${maxWordLength} characters.`
    return invalid('query', message)
  }
  if (isLonger(query, maxQueryLength)) throw refused()
  // Checked before normalising: lower case may have more characters, and words may repeat.
  const typed = query.split(/\s+/).filter(Boolean)
  if (typed.length > maxWords || typed.some((word) => isLonger(word, maxWordLength))) throw refused()
  return [...new Set(typed.map(folded))]
}

// Each word is searched in six fields of every candidate link.
export const maxWords = 10
export const maxWordLength = 64
/** Leaves room for spaces. */
export const maxQueryLength = 2000

/** Every word must occur in some field, also inside another word, in any order. */
export function mentions(item: Searched, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const { title = '', note = '', longUrl, hash } = item
  const backHalves = item.keywords.map((address) => address.slice(address.indexOf('/') + 1))
  const texts = [title, note, longUrl, readable(longUrl), hash, ...backHalves, ...item.tags].map(folded)
  return words.every((word) => texts.some((text) => text.includes(word)))
}

/** The searched fields of a link, or of a QR code, which has no note. */
type Searched = Pick<Link, 'title' | 'longUrl' | 'hash' | 'keywords' | 'tags'> & Partial<Pick<Link, 'note'>>

/** Case-insensitive, and with composed accents (NFC). */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** The long URL as a browser shows it: long URLs are stored in ASCII. */
function readable(longUrl: string): string {
  if (!/%[89a-f]|xn--/i.test(longUrl)) return ''
  const [, scheme = '', host = '', rest = ''] = /^(https?:\/\/)([^/:]*)(.*)$/.exec(longUrl) ?? []
  return scheme + domainToUnicode(host) + rest.replace(/(?:%[89a-f][0-9a-f])+/gi, decodedUri)
}

/**
 * The longest ASCII part of a word that every matching text contains in ASCII lower case, for engines that only fold
 * ASCII. May be empty. The word is split at non-ASCII letters, which engines fold differently, and at punctuation,
 * because punycode rearranges the labels of a host name.
 */
export function asciiPart(word: string): string {
  if (/^[ -~]*$/.test(word)) return word
  // An i before such a letter may be part of it: İ in lower case is an i and a combining dot.
  const parts = word.split(/i?[^ -~]+|[^a-z0-9]+/)
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

/** Reads `example.com`, `example.com/blog` or `/blog`; ignores scheme, port, query and fragment. */
export function parseDestination(text: string, field = 'hostnamePathQuery'): Destination {
  if (isLonger(text, longUrlLimit)) {
    throw invalid(field, `Send at most ${longUrlLimit} characters.`)
  }
  const [, authority = '', path = ''] = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)([^?#]*)/i.exec(text) ?? []
  const host = hostOf(authority.trim())
  if (host === '' && path === '') {
    throw invalid(field, 'Send a host name, a path that begins with a slash, or both.')
  }
  // Long URLs are stored in ASCII.
  return {
    host,
    path: path
      .trimEnd()
      .replace(/[^ -~]+/g, encodeURIComponent)
      .toLowerCase(),
  }
}

/** Matches the host or a parent domain of it, and a prefix of the path. */
export function leadsTo(longUrl: string, destination: Destination): boolean {
  const [, authority = '', path = ''] = /^https?:\/\/([^/?#]*)([^?#]*)/.exec(longUrl.toLowerCase()) ?? []
  const host = withoutPort(authority)
  const isHost = destination.host === '' || host === destination.host || host.endsWith(`.${destination.host}`)
  return isHost && path.startsWith(destination.path)
}

/** The host in lower case and punycode, as in stored long URLs. */
function hostOf(authority: string): string {
  const typed = authority.replace(/^\.+/, '')
  return withoutPort(parseUrl(`http://${typed}`)?.host ?? typed.toLowerCase())
}

function withoutPort(authority: string): string {
  return authority.replace(/:\d*$/, '').replace(/\.$/, '')
}
