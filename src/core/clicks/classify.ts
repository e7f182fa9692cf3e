/**
 * Who or what asked: a person, a robot, a link previewer, a browser fetching ahead, or somebody who only wanted the
 * headers. Everything is kept; only what is `human` counts as a click by default.
 */
import { isbot } from 'isbot'
import type { RawClick, TrafficClass } from './click.js'
import type { Draft, Step } from './step.js'

export function classify(agentOf: (userAgent: string) => { readonly trafficClass: TrafficClass }): Step['run'] {
  return (raw: RawClick, click: Draft) => {
    if (raw.method === 'HEAD') click.trafficClass = 'head'
    else if (raw.purpose !== '' && fetchesAhead.test(raw.purpose)) click.trafficClass = 'prefetch'
    else click.trafficClass = agentOf(raw.userAgent).trafficClass
    return undefined
  }
}

/** `Sec-Purpose: prefetch;prerender`, and the older `Purpose: prefetch` and `preview`. */
const fetchesAhead = /prefetch|prerender|preview/i

export function trafficClassOf(userAgent: string): TrafficClass {
  const agent = userAgent.slice(0, 1024)
  if (previewer.test(agent)) return 'preview'
  // Our choice: somebody who uses curl, a script or a load generator asked for this link on purpose, and a missing
  // agent says nothing. Robots that follow links on their own account name themselves.
  if (agent.trim() === '' || tool.test(agent)) return 'human'
  return isbot(agent) ? 'bot' : 'human'
}

/** They fetch a link because a person pasted it somewhere, to show its title and picture. */
const previewer = new RegExp(
  [
    'facebookexternalhit',
    'facebot',
    'meta-externalfetcher',
    '^WhatsApp/',
    'Slackbot-LinkExpanding',
    'Slack-ImgProxy',
    'Twitterbot',
    'TelegramBot',
    'Discordbot',
    'LinkedInBot',
    'SkypeUriPreview',
    'MicrosoftPreview',
    'Iframely',
    'Embedly',
    'redditbot',
    'Google-PageRenderer',
    'bitlybot',
    'vkShare',
    'Pinterest(bot)?/\\d',
    'Applebot.*preview',
    'Line-?poker',
    'kakaotalk-scrap',
    'Snap URL Preview',
    'Mastodon/',
    'Pleroma',
    'Bluesky Cardyb',
    'Synapse \\(bot; ',
    'Matrix-URL-Preview',
    'Mattermost-Bot',
    'ZoomBot',
    'Zulip URL preview',
    'Trello.*LinkPreview',
    'Notionbot',
    'link-?preview',
    'unfurl',
  ].join('|'),
  'i',
)

/** Programs and libraries that send whatever request they were told to; the name opens the string. */
const tool = new RegExp(
  `^(?:${[
    'curl',
    'libcurl',
    'wget2?',
    'httpie',
    'xh',
    'aria2',
    'lynx',
    'w3m',
    'python',
    'python-requests',
    'python-httpx',
    'python-urllib\\d?',
    'aiohttp',
    'go-http-client',
    'go-resty',
    'node',
    'node\\.js',
    'node-fetch',
    'node-superagent',
    'undici',
    'axios',
    'got',
    'ky',
    'bun',
    'deno',
    'okhttp',
    'java',
    'java-http-client',
    'apache-httpclient',
    'apache-httpasyncclient',
    'jakarta commons-httpclient',
    'dart',
    'ruby',
    'faraday',
    'rest-client',
    'typhoeus',
    'httparty',
    'php',
    'guzzlehttp',
    'symfony httpclient',
    'libwww-perl',
    'lwp::simple',
    'mojolicious',
    'reqwest',
    'hyper',
    'ureq',
    'restsharp',
    'postmanruntime',
    'insomnia',
    'hoppscotch',
    'bruno-runtime',
    'powershell',
    'wrk',
    'k6',
    'grafana k6',
    'hey',
    'vegeta',
    'oha',
    'autocannon',
    'apachebench',
    'siege',
    'bombardier',
    'jmeter',
  ].join('|')})(?:[/ (;]|$)`,
  'i',
)
