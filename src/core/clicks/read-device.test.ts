import { describe, expect, it } from 'vitest'
import { readAgent } from './read-device.js'

const cases: readonly (readonly [device: string, os: string, browser: string, agent: string])[] = [
  [
    'Desktop',
    'Windows',
    'Chrome',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
  ],
  [
    'Desktop',
    'Windows',
    'Edge',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0',
  ],
  ['Desktop', 'Windows', 'IE', 'Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko'],
  [
    'Desktop',
    'macOS',
    'Safari',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15',
  ],
  ['Desktop', 'Linux', 'Firefox', 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0'],
  ['Desktop', 'Linux', 'Firefox', 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0'],
  [
    'Desktop',
    'ChromeOS',
    'Chrome',
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Safari/537.36',
  ],
  [
    'Desktop',
    'Windows',
    'Opera',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/118.0.0.0 Safari/537.36 OPR/104.0.0.0',
  ],
  [
    'Mobile',
    'iOS',
    'Safari',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1',
  ],
  [
    'Mobile',
    'iOS',
    'Chrome',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0.6099.50 Mobile/15E148 Safari/604.1',
  ],
  [
    'Mobile',
    'iOS',
    'Instagram',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 309.0.0.40.113 (iPhone14,5; iOS 17_1)',
  ],
  [
    'Mobile',
    'Android',
    'Chrome',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
  ],
  [
    'Mobile',
    'Android',
    'Chrome',
    'Mozilla/5.0 (Linux; Android 13; SM-S901B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/112.0.0.0 Mobile Safari/537.36',
  ],
  [
    'Mobile',
    'Android',
    'Samsung Internet',
    'Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36',
  ],
  ['Mobile', 'Android', 'Firefox', 'Mozilla/5.0 (Android 14; Mobile; rv:120.0) Gecko/120.0 Firefox/120.0'],
  [
    'Tablet',
    'iOS',
    'Safari',
    'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
  ],
  [
    'Tablet',
    'Android',
    'Chrome',
    'Mozilla/5.0 (Linux; Android 13; SM-X906C) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/80.0.3987.119 Safari/537.36',
  ],
  [
    'Other',
    'PlayStation',
    'Safari',
    'Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15',
  ],
  [
    'Other',
    'Tizen',
    'Safari',
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 5.0) AppleWebKit/538.1 (KHTML, like Gecko) Version/5.0 TV Safari/538.1',
  ],
  ['Other', '', '', 'curl/8.5.0'],
  ['Other', '', '', 'python-requests/2.31.0'],
  ['Other', '', '', ''],
  ['Other', '', '', 'no idea what this is'],
]

describe('readAgent', () => {
  it.each(cases)('reads %s, %s, %s', (device, os, browser, agent) => {
    expect(readAgent(agent)).toEqual({ device, os, browser })
  })

  it('reads the beginning of an agent only, so that a hostile one does not hold it up', () => {
    const phone = 'Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Mobile'
    expect(readAgent(`${phone} ${'x'.repeat(500)}`).os).toBe('Android')
    expect(readAgent(`${'x'.repeat(512)} ${phone}`)).toEqual({ device: 'Other', os: '', browser: '' })
  })
})
