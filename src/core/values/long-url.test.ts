import { describe, expect, it } from 'vitest'
import { longUrlLimit, normaliseLongUrl } from './long-url.js'
import { Refusal } from './refusal.js'

const ownDomains = ['sho.rt', 'localhost:8080']

/** [what it shows, what is sent, what is kept; the same when left out] */
const keptCases: readonly (readonly [string, string, string?])[] = [
  ['a plain URL', 'https://example.com/a'],
  ['http', 'http://example.com/a'],
  ['an empty path becomes a slash', 'https://example.com', 'https://example.com/'],
  ['an empty path before a fragment becomes a slash', 'https://example.com#top', 'https://example.com/#top'],
  ['a root path', 'https://example.com/'],
  ['scheme in capitals', 'HTTPS://example.com/a', 'https://example.com/a'],
  ['host in capitals', 'https://EXAMPLE.Com/Path', 'https://example.com/Path'],
  ['the case of the path counts', 'https://example.com/AbC'],
  ['a query', 'https://example.com/a?b=1&c=2'],
  ['the order of a query counts', 'https://example.com/a?c=2&b=1&b=0'],
  ['an empty query', 'https://example.com/a?'],
  ['a query after a root path', 'https://example.com/?x=1'],
  ['a fragment', 'https://example.com/a#b'],
  ['an empty fragment', 'https://example.com/a#'],
  ['a question mark inside a fragment', 'https://example.com/a#b?c=d'],
  ['a second question mark', 'https://example.com/a?b=c?d'],
  ['a URL inside a query', 'https://example.com/r?to=https://other.example/?a=b'],
  ['an at sign in the path', 'https://example.com/@user'],
  ['an at sign in the query', 'https://example.com/?mail=a@b.example'],
  ['a colon in the path', 'https://example.com/a:b'],
  ['percent-encoding stays as sent', 'https://example.com/%7Euser/%2f%2F?q=%20+%41'],
  ['broken percent-encoding stays as sent', 'https://example.com/100%?a=%zz&b=%'],
  ['dot segments stay as sent', 'https://example.com/a/../b/./c'],
  ['double slashes stay as sent', 'https://example.com//a//b'],
  ['a trailing slash stays as sent', 'https://example.com/a/'],
  ['punctuation stays as sent', "https://example.com/a;b,c!d$e'f(g)*+=~"],
  ['quotes and braces stay as sent', 'https://example.com/"<>`{}|^'],
  ['a backslash in the path stays as sent', 'https://example.com/a\\b'],
  ['a non-standard port', 'https://example.com:8443/a'],
  ['the own port of https is dropped', 'https://example.com:443/a', 'https://example.com/a'],
  ['the own port of http is dropped', 'http://example.com:80/a', 'http://example.com/a'],
  ['the port of the other scheme stays', 'http://example.com:443/a'],
  ['an empty port is dropped', 'https://example.com:/a', 'https://example.com/a'],
  ['a port with a leading zero', 'https://example.com:0444/a', 'https://example.com:444/a'],
  ['the highest port', 'https://example.com:65535/'],
  ['an international name', 'https://münchen.example/straße', 'https://xn--mnchen-3ya.example/stra%C3%9Fe'],
  ['an international name in capitals', 'https://MÜNCHEN.example/', 'https://xn--mnchen-3ya.example/'],
  ['a name in punycode', 'https://xn--mnchen-3ya.example/'],
  ['ideographic full stops', 'https://日本。example/', 'https://xn--wgv71a.example/'],
  ['an emoji name', 'https://👍.example/', 'https://xn--yp8h.example/'],
  ['an emoji path', 'https://example.com/😀', 'https://example.com/%F0%9F%98%80'],
  ['joined emoji', 'https://example.com/👩‍💻', 'https://example.com/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB'],
  ['letters outside ASCII in query and fragment', 'https://example.com/?q=ü#é', 'https://example.com/?q=%C3%BC#%C3%A9'],
  ['a trailing dot of the host', 'https://example.com./a'],
  ['a name with an underscore', 'https://my_host.example/'],
  ['a name that begins with a hyphen', 'https://-a-.example/'],
  ['localhost', 'http://localhost/a'],
  ['localhost with a foreign port', 'http://localhost:3000/a'],
  ['a name without a dot', 'http://wiki/page'],
  ['an IPv4 address', 'http://192.168.1.20/a'],
  ['an IPv4 address in hexadecimal', 'http://0xC0.0xA8.1.20/a', 'http://192.168.1.20/a'],
  ['an IPv6 address', 'http://[2001:DB8::1]/a', 'http://[2001:db8::1]/a'],
  ['an IPv6 address with a port', 'http://[::1]:3000/'],
  ['a name that only ends like ours', 'https://not-sho.rt/abc'],
  ['a name that only begins like ours', 'https://sho.rt.example/abc'],
  ['a subdomain of ours', 'https://blog.sho.rt/abc'],
  ['another port of our host', 'http://localhost:8081/abc'],
  ['exactly as long as allowed', `https://example.com/${'a'.repeat(longUrlLimit - 20)}`],
]

const kept = keptCases.map(([name, sent, expected = sent]) => [name, sent, expected] as const)

/** [what it shows, what is sent] */
const refused: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a word', 'hello'],
  ['a host without a scheme', 'example.com/a'],
  ['a scheme-relative URL', '//example.com/a'],
  ['a path', '/a'],
  ['javascript', 'javascript:alert(1)'],
  ['javascript that looks like a host', 'javascript://example.com/%0aalert(1)'],
  ['data', 'data:text/html,hello'],
  ['ftp', 'ftp://example.com/a'],
  ['file', 'file:///etc/passwd'],
  ['mailto', 'mailto:a@example.com'],
  ['a scheme that begins like http', 'httpx://example.com/'],
  ['one slash', 'http:/example.com/a'],
  ['no slash', 'http:example.com'],
  ['three slashes', 'http:///example.com'],
  ['a scheme alone', 'https://'],
  ['a query instead of a host', 'https://?a=b'],
  ['a hyphen instead of a host', 'http://-/'],
  ['a label of hyphens', 'http://a.--.example/'],
  ['a fragment instead of a host', 'https://#a'],
  ['a query directly after the host', 'http://example.com?x=1'],
  ['an empty query directly after the host', 'http://example.com?'],
  ['a query directly after the port', 'http://example.com:81?x=1'],
  ['a user name', 'https://user@example.com/'],
  ['a user name and password', 'https://user:secret@example.com/'],
  ['an empty user name', 'https://@example.com/'],
  ['a host disguised as a user name', 'https://bank.example@evil.example/'],
  ['backslashes for slashes', 'https:\\\\example.com\\a'],
  ['a backslash after the host', 'https://example.com\\a'],
  ['a backslash before a second host', 'https://example.com\\@evil.example/'],
  ['a space inside', 'https://example.com/a b'],
  ['a leading space', ' https://example.com/'],
  ['a trailing space', 'https://example.com/ '],
  ['a space in the host', 'https://exa mple.com/'],
  ['a tab', 'https://example.com/a\tb'],
  ['a trailing newline', 'https://example.com/\n'],
  ['a header injection', 'https://example.com/\r\nSet-Cookie: a=b'],
  ['NUL', 'https://example.com/\u0000'],
  ['DEL', 'https://example.com/\u007f'],
  ['a C1 control character', 'https://example.com/\u0085'],
  ['a no-break space', 'https://example.com/a\u00a0b'],
  ['an ideographic space', 'https://example.com/a\u3000b'],
  ['a line separator', 'https://example.com/\u2028'],
  ['a lone high surrogate', 'https://example.com/\ud83d'],
  ['a lone low surrogate', 'https://example.com/\ude00x'],
  ['an empty label', 'https://example..com/'],
  ['a leading dot', 'https://.example.com/'],
  ['only a dot', 'https://./'],
  ['a label that is too long', `https://${'a'.repeat(64)}.example/`],
  ['a name that is too long', `https://${'abcdefghi.'.repeat(26)}example/`],
  ['a wildcard', 'https://*.example.com/'],
  ['punctuation in the host', 'https://exa!mple.com/'],
  ['broken punycode', 'https://xn--a.example/'],
  ['broken percent-encoding in the host', 'https://ex%zzample.com/'],
  ['an IPv4 address out of range', 'http://999.1.1.1/'],
  ['an unclosed IPv6 address', 'http://[::1/'],
  ['an IPv6 zone', 'http://[fe80::1%25eth0]/'],
  ['port 0', 'https://example.com:0/'],
  ['a port out of range', 'https://example.com:65536/'],
  ['a negative port', 'https://example.com:-1/'],
  ['a port that is no number', 'https://example.com:http/'],
  ['one character too long', `https://example.com/${'a'.repeat(longUrlLimit - 19)}`],
  ['huge', `https://example.com/${'a'.repeat(1_000_000)}`],
  ['too long once encoded', `https://example.com/${'é'.repeat(400)}`],
]

const own: readonly (readonly [string, string])[] = [
  ['a short link', 'https://sho.rt/3xYz12A'],
  ['another scheme', 'http://sho.rt/3xYz12A'],
  ['capitals', 'https://SHO.RT/3xYz12A'],
  ["the scheme's own port", 'https://sho.rt:443/3xYz12A'],
  ['a trailing dot', 'https://sho.rt./3xYz12A'],
  ['no path', 'https://sho.rt'],
  ['full-width letters', 'https://ｓｈｏ.ｒｔ/3xYz12A'],
  ['a domain with a port', 'http://localhost:8080/3xYz12A'],
  ['a domain with a port and a trailing dot', 'http://localhost.:8080/3xYz12A'],
]

describe('normaliseLongUrl', () => {
  it.each(kept)('keeps %s', (_, sent, expected) => {
    expect(normaliseLongUrl(sent, ownDomains)).toBe(expected)
  })

  it.each(kept)('leaves its own result alone: %s', (_, sent) => {
    const normal = normaliseLongUrl(sent, ownDomains)
    expect(normaliseLongUrl(normal, ownDomains)).toBe(normal)
  })

  it.each(kept)('leads where the sent URL leads: %s', (_, sent) => {
    expect(new URL(normaliseLongUrl(sent, ownDomains)).href).toBe(new URL(sent).href)
  })

  it.each(refused)('refuses %s', (_, sent) => {
    const refusal = refusalOf(sent)
    expect(refusal.code).toBe('INVALID_ARGUMENT')
    expect(refusal.details).toEqual({ field: 'longUrl' })
  })

  it.each(own)('knows its own short links: %s', (_, sent) => {
    expect(refusalOf(sent).code).toBe('ALREADY_A_SHORTLINK')
  })
})

function refusalOf(sent: string): Refusal {
  try {
    normaliseLongUrl(sent, ownDomains)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error(`"${sent}" was not refused`)
}
