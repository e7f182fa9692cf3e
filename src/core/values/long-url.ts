/**
 * Long URLs: validation and the stored form. All APIs share these rules, so errors are refusals without HTTP status.
 * Only scheme and host are normalised: two spellings of a path may be two different pages.
 */
import { invalid, Refusal } from './refusal.js'

/** Maximum length of a long URL, as sent and as stored (docs/api/links.md#long-urls). */
export const longUrlLimit = 2048

/** The short domains of this service; a long URL must not point to them. */
export interface OwnDomains {
  includes(host: string): boolean
}

/** Returns the long URL as stored and redirected to; throws a `Refusal` for an invalid one. */
export function normaliseLongUrl(text: string, ownDomains: OwnDomains, field = 'longUrl'): string {
  const refused = (message: string) => invalid(field, message)
  if (text === '') throw refused('The long URL is empty. Send a complete URL such as https://example.com/page.')
  if (text.length > longUrlLimit) throw refused(tooLong)
  const isPlain = plain.test(text)
  if (!isPlain && unprintable.test(text)) {
    throw refused('The long URL contains a space, a control character or broken Unicode. Percent-encode it.')
  }
  const [, scheme, authority, path = '', query = '', fragment = ''] = shape.exec(text) ?? []
  if (scheme === undefined || authority === undefined) {
    throw refused('The long URL must begin with http:// or https:// and a host name.')
  }
  if (authority.includes('@')) throw refused('The long URL must not carry a user name or password before the host.')
  if (path === '' && query !== '') {
    throw refused('The long URL has a query directly after the host. Put a slash between them: https://host/?query.')
  }
  const host = normaliseHost(`${scheme.toLowerCase()}://${authority}`, refused)
  if (ownDomains.includes(host.replace(/\.(?=:|$)/, ''))) {
    throw new Refusal('ALREADY_A_SHORTLINK', 'The long URL is already a short link of this service.', { field })
  }
  const rest = (path || '/') + query + fragment
  const normal = `${scheme.toLowerCase()}://${host}${isPlain ? rest : toAscii(rest)}`
  if (normal.length > longUrlLimit) throw refused(tooLong)
  return normal
}

// Requires the literal `://`: browsers repair `http:host`, `http:/host` and backslashes, this service refuses them.
const shape = /^(https?):\/\/([^/?#\\]+)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i

/** Printable ASCII, as most URLs are: nothing to refuse or to encode. */
const plain = /^[!-~]*$/

/** White space of any script, control characters and lone surrogates. */
const unprintable = /[\p{White_Space}\p{Cc}\p{Cs}]/u

/** Lower case, punycode, without the default port. Most links lead to few sites, and parsing takes 3 us. */
function normaliseHost(origin: string, refused: (message: string) => Refusal): string {
  const known = recentHosts.get(origin)
  if (known !== undefined) return known
  const host = readHost(origin, refused)
  if (recentHosts.size === maxRecentHosts) recentHosts.clear()
  recentHosts.set(origin, host)
  return host
}

const recentHosts = new Map<string, string>()
const maxRecentHosts = 1000

function readHost(origin: string, refused: (message: string) => Refusal): string {
  const url = parse(origin)
  if (!url) throw refused('The host of the long URL is not a valid host name, address or port.')
  if (url.port === '0') throw refused('The port of the long URL must be between 1 and 65535.')
  // Intranets have short links too: allow localhost, IP addresses and names without a dot.
  if (!url.hostname.startsWith('[') && !isHostName(url.hostname)) {
    throw refused('The host of the long URL is not a valid host name.')
  }
  return url.host
}

/** `URL.parse` needs Node 22. */
function parse(origin: string): URL | undefined {
  try {
    return new URL(origin)
  } catch {
    return undefined
  }
}

/**
 * Accepts the names found in DNS, beyond the standard: underscores, and labels that begin or end with a hyphen. A label
 * of hyphens only is invalid. A trailing dot is allowed.
 */
function isHostName(name: string): boolean {
  const labels = name.replace(/\.$/, '')
  return labels.length <= 253 && labels.split('.').every((label) => /^(?!-+$)[a-z0-9_-]{1,63}$/.test(label))
}

/** Percent-encodes non-ASCII characters as browsers do, because a Location header must be ASCII. */
function toAscii(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
  return text.replace(/[^\u0000-\u007f]+/g, encodeURIComponent)
}

const tooLong = `The long URL is longer than ${longUrlLimit} characters, as sent or once it is percent-encoded.`

/**
 * Schemes that the browser or the phone's system handles itself. No application can own one, and a redirect to one could
 * run a script or open any file.
 */
export const browserSchemes: ReadonlySet<string> = new Set([
  'about',
  'blob',
  'chrome',
  'content',
  'data',
  'file',
  'filesystem',
  'ftp',
  'intent',
  'javascript',
  'mailto',
  'sms',
  'tel',
  'vbscript',
  'view-source',
  'ws',
  'wss',
])
