import { describe, expect, it } from 'vitest'
import type { TrafficClass } from './dimensions.js'
import { readAgent, trafficClassOf } from './user-agent.js'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'

const agents: Readonly<Record<TrafficClass, readonly string[]>> = {
  human: [
    '',
    ' ',
    chrome,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 [Pinterest/Android]',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 309.0.0.40.113',
    'curl/8.5.0',
    'Wget/1.21.4',
    'HTTPie/3.2.2',
    'python-requests/2.31.0',
    'Python/3.11 aiohttp/3.9.1',
    'python-httpx/0.25.2',
    'Python-urllib/3.10',
    'Go-http-client/1.1',
    'node',
    'undici',
    'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
    'axios/1.6.2',
    'got (https://github.com/sindresorhus/got)',
    'okhttp/4.12.0',
    'Java/17.0.9',
    'Java-http-client/21.0.1',
    'Apache-HttpClient/4.5.14 (Java/17.0.9)',
    'Ruby',
    'PHP/8.3.0',
    'GuzzleHttp/7',
    'libwww-perl/6.72',
    'PostmanRuntime/7.36.0',
    'insomnia/8.4.5',
    'wrk/4.2.0',
    'k6/0.48.0 (https://k6.io/)',
    'Grafana k6/1.0',
  ],
  bot: [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
    'Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)',
    'Slackbot 1.0 (+https://api.slack.com/robots)',
    'curling-scores-crawler/1.0',
  ],
  preview: [
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'WhatsApp/2.23.20.0 A',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Twitterbot/1.0',
    'TelegramBot (like TwitterBot)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    'Iframely/1.3.1 (+https://iframely.com/docs/about)',
    'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)',
    'bitlybot/3.0 (+http://bit.ly/)',
    'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
    'Pinterest/0.2 (+https://www.pinterest.com/bot.html)',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)',
  ],
  prefetch: [],
  head: [],
}

describe('trafficClassOf', () => {
  for (const [trafficClass, list] of Object.entries(agents)) {
    it.each(list)(`takes for ${trafficClass}: "%s"`, (agent) => {
      expect(trafficClassOf(agent)).toBe(trafficClass)
    })
  }

  it('reads the beginning of an agent only, so that a hostile one does not hold it up', () => {
    const bot = 'Googlebot/2.1'
    expect(trafficClassOf(chrome.padEnd(1024 - bot.length) + bot)).toBe('bot')
    expect(trafficClassOf(chrome.padEnd(1024) + bot)).toBe('human')
  })
})

const devices: readonly (readonly [device: string, os: string, browser: string, agent: string])[] = [
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
  it.each(devices)('reads %s, %s, %s', (device, os, browser, agent) => {
    expect(readAgent(agent)).toMatchObject({ device, os, browser })
  })

  it('reads the beginning of an agent only, so that a hostile one does not hold it up', () => {
    const phone = 'Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Mobile'
    expect(readAgent(`${phone} ${'x'.repeat(500)}`).os).toBe('Android')
    expect(readAgent(`${'x'.repeat(512)} ${phone}`)).toMatchObject({ device: 'Other', os: '', browser: '' })
  })
})
