import { describe, expect, it } from 'vitest'
import { aClick } from './click-log.contract.js'
import { readReferrer } from './referrer.js'

const named: readonly (readonly [referrer: string, domain: string, name: string, network: string])[] = [
  ['https://l.instagram.com/?u=https%3A%2F%2Fexample.com', 'l.instagram.com', 'Instagram', 'instagram'],
  ['https://www.google.com/', 'www.google.com', 'Google', 'google'],
  ['https://www.google.co.jp/search?q=a', 'www.google.co.jp', 'Google', 'google'],
  ['https://google.de', 'google.de', 'Google', 'google'],
  ['https://mail.google.com/mail/u/0/', 'mail.google.com', 'Gmail', 'gmail'],
  ['https://m.facebook.com/', 'm.facebook.com', 'Facebook', 'facebook'],
  ['http://lm.facebook.com/l.php?u=x', 'lm.facebook.com', 'Facebook', 'facebook'],
  ['https://t.co/AbC', 't.co', 'X (Twitter)', 'twitter'],
  ['https://x.com/', 'x.com', 'X (Twitter)', 'twitter'],
  ['https://mobile.twitter.com/', 'mobile.twitter.com', 'X (Twitter)', 'twitter'],
  ['https://www.linkedin.com/feed/', 'www.linkedin.com', 'LinkedIn', 'linkedin'],
  ['https://lnkd.in/abc', 'lnkd.in', 'LinkedIn', 'linkedin'],
  ['https://www.youtube.com/watch?v=1', 'www.youtube.com', 'YouTube', 'youtube'],
  ['https://www.pinterest.co.uk/pin/1', 'www.pinterest.co.uk', 'Pinterest', 'pinterest'],
  ['https://out.reddit.com/', 'out.reddit.com', 'Reddit', 'reddit'],
  ['https://search.yahoo.co.jp/', 'search.yahoo.co.jp', 'Yahoo', 'yahoo'],
  ['https://www.bing.com/', 'www.bing.com', 'Bing', 'bing'],
  ['https://duckduckgo.com/', 'duckduckgo.com', 'DuckDuckGo', 'duckduckgo'],
  ['android-app://com.google.android.gm/', 'com.google.android.gm', 'Gmail', 'gmail'],
  ['android-app://com.instagram.android', 'com.instagram.android', 'Instagram', 'instagram'],
  ['android-app://com.example.reader/', 'com.example.reader', 'com.example.reader', 'other'],
  ['https://blog.example.co.uk:8443/post', 'blog.example.co.uk', 'example.co.uk', 'other'],
  ['HTTPS://News.Example.COM./a', 'news.example.com', 'example.com', 'other'],
  ['https://notgoogle.com/', 'notgoogle.com', 'notgoogle.com', 'other'],
  ['https://google.com.evil.example/', 'google.com.evil.example', 'evil.example', 'other'],
  ['http://192.0.2.1:8080/x', '192.0.2.1', '192.0.2.1', 'other'],
  ['http://localhost:3000/', 'localhost', 'localhost', 'other'],
  ['https://bücher.example/', 'xn--bcher-kva.example', 'xn--bcher-kva.example', 'other'],
]

describe('readReferrer', () => {
  it.each(named)('names %s', (raw, domain, name, network) => {
    expect(readReferrer(raw)).toEqual({
      referrer: raw,
      referrerDomain: domain,
      referrerName: name,
      referrerNetwork: network,
      site: '',
    })
  })

  it.each([
    '',
    ' ',
    'nonsense',
    'about:blank',
    'javascript:alert(1)',
    'file:///etc/passwd',
    '/relative',
    'https://',
    'data:,x',
  ])('takes "%s" for a direct visit', (text) => {
    expect(readReferrer(text)).toEqual(aClick().referrer)
  })

  it('keeps at most 2048 characters', () => {
    expect(readReferrer(`https://example.com/${'x'.repeat(10_000)}`).referrer).toHaveLength(2048)
  })
})
