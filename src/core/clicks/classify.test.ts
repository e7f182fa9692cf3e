import { describe, expect, it } from 'vitest'
import { classify, trafficClassOf } from './classify.js'
import type { TrafficClass } from './click.js'
import { draftOf } from './pipeline.js'
import { aRawClick } from './raw-click.builder.js'

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

describe('classify', () => {
  for (const [trafficClass, list] of Object.entries(agents)) {
    it.each(list)(`takes for ${trafficClass}: "%s"`, (agent) => {
      expect(trafficClassOf(agent)).toBe(trafficClass)
    })
  }

  const step = classify((userAgent) => ({ trafficClass: trafficClassOf(userAgent) }))
  const cases: readonly (readonly [TrafficClass, Parameters<typeof aRawClick>[0]])[] = [
    ['human', { userAgent: chrome }],
    ['head', { method: 'HEAD', userAgent: chrome }],
    ['head', { method: 'HEAD', userAgent: 'Twitterbot/1.0', purpose: 'prefetch' }],
    ['prefetch', { purpose: 'prefetch;prerender', userAgent: chrome }],
    ['prefetch', { purpose: 'Prefetch', userAgent: 'Twitterbot/1.0' }],
    ['prefetch', { purpose: 'preview', userAgent: chrome }],
    ['human', { purpose: 'something-else', userAgent: chrome }],
  ]
  it.each(cases)('gives %s to %o', (trafficClass, input) => {
    const click = draftOf(aRawClick(), 'id')
    expect(step(aRawClick(input), click)).toBeUndefined()
    expect(click.trafficClass).toBe(trafficClass)
  })

  it('reads the beginning of an agent only, so that a hostile one does not hold it up', () => {
    const bot = 'Googlebot/2.1'
    expect(trafficClassOf(chrome.padEnd(1024 - bot.length) + bot)).toBe('bot')
    expect(trafficClassOf(chrome.padEnd(1024) + bot)).toBe('human')
  })
})
