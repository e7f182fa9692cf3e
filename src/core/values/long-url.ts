/**
 * What may be shortened, and how it is written down. The same rule serves every interface, so it speaks in refusals
 * and knows no status. Beyond the host nothing is rewritten: two spellings of a path may be two pages.
 */
import { RecentMap } from '../../lib/recent-map.js'
import { invalid, Refusal } from './refusal.js'

/** The longest long URL, as sent and as kept (docs/api/links.md#long-urls). */
export const longUrlLimit = 2048

/** The service's short domains, which a long URL must not be on. */
export interface OwnDomains {
  includes(host: string): boolean
}

/** The long URL as it is stored and redirected to; throws a `Refusal` for what cannot be shortened. */
export function normaliseLongUrl(text: string, ownDomains: OwnDomains, field = 'longUrl'): string {
  const refused = (message: string) => invalid(field, message, 'shortlinks')
  if (text === '') throw refused('The long URL is empty. Send a complete URL such as https://example.com/page.')
  if (text.length > longUrlLimit) throw refused(tooLong)
  if (unprintable.test(text)) {
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
  const host = normaliseHost(scheme.toLowerCase(), authority, refused)
  if (ownDomains.includes(host.replace(/\.(?=:|$)/, ''))) {
    throw new Refusal('ALREADY_A_SHORTLINK', 'The long URL is already a short link of this service.', {
      resource: 'shortlinks',
      field,
    })
  }
  const normal = `${scheme.toLowerCase()}://${host}${toAscii((path || '/') + query + fragment)}`
  if (normal.length > longUrlLimit) throw refused(tooLong)
  return normal
}

// Anchored on the literal `://`: `http:host`, `http:/host` and backslashes, which browsers repair, are refused.
const shape = /^(https?):\/\/([^/?#\\]+)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i

/** White space of any script, control characters, and halves of surrogate pairs. */
const unprintable = /[\p{White_Space}\p{Cc}\p{Cs}]/u

/**
 * Lower case, punycode, without the scheme's own port. Most links of a moment lead to few sites: those are remembered.
 */
function normaliseHost(scheme: string, authority: string, refused: (message: string) => Refusal): string {
  const origin = `${scheme}://${authority}`
  const known = hosts.get(origin)
  if (known !== undefined) return known
  const host = readHost(origin, refused)
  hosts.set(origin, host)
  return host
}

const hosts = new RecentMap<string, string>(1000)

function readHost(origin: string, refused: (message: string) => Refusal): string {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  if (!url) throw refused('The host of the long URL is not a valid host name, address or port.')
  if (url.port === '0') throw refused('The port of the long URL must be between 1 and 65535.')
  // Our choice: localhost, addresses and names without a dot are allowed, since intranets have short links too.
  if (!url.hostname.startsWith('[') && !isHostName(url.hostname)) {
    throw refused('The host of the long URL is not a valid host name.')
  }
  return url.host
}

/**
 * What DNS can carry. Underscores are common in names, and some begin or end with a hyphen, whatever the standard says;
 * none is hyphens alone. A final dot names the root.
 */
function isHostName(name: string): boolean {
  const labels = name.replace(/\.$/, '')
  return labels.length <= 253 && labels.split('.').every((label) => /^(?!-+$)[a-z0-9_-]{1,63}$/.test(label))
}

/** A Location header is ASCII. Browsers encode the rest exactly like this, so the meaning stays the same. */
function toAscii(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
  return text.replace(/[^\u0000-\u007f]+/g, encodeURIComponent)
}

const tooLong = `The long URL is longer than ${longUrlLimit} characters, as sent or once it is percent-encoded.`
