/**
 * What finds a link by what people type: words, and the place a link leads to. Stores narrow the field down with what
 * their engine can do and leave the last word to this file, so that every engine finds the same.
 */
import { domainToUnicode } from 'node:url'
import { isLonger } from '../../lib/is-longer.js'
import { longUrlLimit } from '../values/long-url.js'
import { invalid } from '../values/refusal.js'
import type { Link } from './link.js'

/** Both in lower case; an empty one does not matter. */
export interface Destination {
  readonly host: string
  readonly path: string
}

/** The words of a free text, each once, as `folded` writes them. */
export function wordsOf(query: string): readonly string[] {
  const refused = () => {
    const message = `Search for at most ${mostWords} words at once, each of at most ${longestWord} characters.`
    return invalid('query', message, 'shortlinks')
  }
  if (isLonger(query, longestQuery)) throw refused()
  // Counted as typed: small letters may be more characters, and words may be the same.
  const typed = query.split(/\s+/).filter(Boolean)
  if (typed.length > mostWords || typed.some((word) => isLonger(word, longestWord))) throw refused()
  return [...new Set(typed.map(folded))]
}

// Each word is looked for in five places of every link that comes into question.
export const mostWords = 10
export const longestWord = 64
/** With room for spaces. */
export const longestQuery = 2000

/** Every word must occur somewhere, whole or as a part of another, in whichever order. */
export function mentions(link: Link, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const { title = '', longUrl, hash } = link
  const backHalves = link.keywords.map((address) => address.slice(address.indexOf('/') + 1))
  const texts = [title, longUrl, readable(longUrl), hash, ...backHalves, ...link.tags].map(folded)
  return words.every((word) => texts.some((text) => text.includes(word)))
}

/** One spelling for texts that people take for the same: no capitals, and letters with their accents as one character. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** A long URL is kept in ASCII; people search for what their browser shows. */
function readable(longUrl: string): string {
  if (!/%[89a-f]|xn--/i.test(longUrl)) return ''
  const [, scheme = '', host = '', rest = ''] = /^(https?:\/\/)([^/:]*)(.*)$/.exec(longUrl) ?? []
  return scheme + domainToUnicode(host) + rest.replace(/(?:%[89a-f][0-9a-f])+/gi, decoded)
}

function decoded(bytes: string): string {
  try {
    return decodeURIComponent(bytes)
  } catch {
    // Not UTF-8: nobody can read it.
    return bytes
  }
}

/**
 * The longest part of a word that every text with the word contains when its ASCII capitals are made small, for engines
 * that know no other letters. May be empty. Beyond ASCII nothing is sure: not the letter, and in a host name not even what
 * stands beside it.
 */
export function surePart(word: string): string {
  if (/^[ -~]*$/.test(word)) return word
  // An i before such a letter may be a part of it: the small letter of İ has two characters.
  const parts = word.split(/i?[^ -~]+|[^a-z0-9]+/)
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

/** `example.com`, `example.com/blog` or `/blog`; scheme, port, query and fragment are understood and ignored. */
export function parseDestination(text: string): Destination {
  if (isLonger(text, longUrlLimit)) {
    throw invalid('hostnamePathQuery', `Send at most ${longUrlLimit} characters.`, 'shortlinks')
  }
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
