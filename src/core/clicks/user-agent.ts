/**
 * Parses a user agent: the traffic class (a person, a bot or a link previewer; all are stored, only `human` counts as a
 * click by default), and the families of device, operating system and browser, without versions.
 */
import { isbot } from 'isbot'
import { UAParser } from 'ua-parser-js'
import type { Device } from '../links/choose-destination.js'
import { aiAgentOf } from './ai-agents.js'
import type { TextsOf, TrafficClass } from './dimensions.js'

export interface Agent extends TextsOf<'agent'> {
  readonly device: Device
}

export function readAgent(userAgent: string): Agent {
  const parser = new UAParser(userAgent.slice(0, 512))
  const os = osFamily(parser.getOS().name ?? '')
  const browser = browserFamily(parser.getBrowser().name ?? '')
  return { device: deviceOf(parser.getDevice().type, os), os, browser, aiAgent: aiAgentOf(userAgent) }
}

/** The parser returns no type for computers, so a known desktop system decides; otherwise Other. */
function deviceOf(type: string | undefined, os: string): Device {
  if (type === 'mobile') return 'Mobile'
  if (type === 'tablet') return 'Tablet'
  if (type !== undefined) return 'Other'
  if (desktopSystems.has(os)) return 'Desktop'
  return handheldSystems.has(os) ? 'Mobile' : 'Other'
}

const desktopSystems = new Set(['Windows', 'macOS', 'Linux', 'ChromeOS', 'FreeBSD', 'OpenBSD', 'NetBSD', 'Solaris'])

const handheldSystems = new Set(['iOS', 'Android', 'Windows Phone', 'HarmonyOS', 'KaiOS'])

// One name per family, so reports are not split by Linux distribution or Safari variant.
function osFamily(name: string): string {
  if (linuxFlavour.test(name)) return 'Linux'
  return osNames[name.toLowerCase()] ?? name
}

const linuxFlavour =
  /^(?:linux|gnu|[kxln]?ubuntu|debian|(?:open)?suse|gentoo|arch|slackware|fedora|mandriva|centos|pclinuxos|red ?hat|zenwalk|linpus|raspbian|deepin|manjaro|elementary os|mint|mageia|vectorlinux|sabayon|linspire)$/i

const osNames: Readonly<Record<string, string>> = {
  'mac os': 'macOS',
  'chromium os': 'ChromeOS',
  'chrome os': 'ChromeOS',
  'windows phone os': 'Windows Phone',
  'windows mobile': 'Windows Phone',
  android: 'Android',
}

function browserFamily(name: string): string {
  const family = browserFamilies.find((known) => name.toLowerCase().startsWith(known.toLowerCase()))
  return family ?? browserNames[name.toLowerCase()] ?? name
}

/** Chrome WebView, Firefox Focus, Opera Mini, ... */
const browserFamilies = ['Chrome', 'Firefox', 'Opera', 'Safari']

const browserNames: Readonly<Record<string, string>> = {
  'mobile safari': 'Safari',
  'mobile chrome': 'Chrome',
  'mobile firefox': 'Firefox',
  iemobile: 'IE',
  gsa: 'Google App',
}

export function trafficClassOf(userAgent: string): TrafficClass {
  const agent = userAgent.slice(0, 1024)
  if (linkPreviewer.test(agent)) return 'preview'
  if (aiAgentOf(agent) !== '') return 'bot'
  // A person uses curl, a script or a load generator on purpose, and an empty user agent says nothing. Crawlers name
  // themselves.
  if (agent.trim() === '' || tool.test(agent)) return 'human'
  return isbot(agent) ? 'bot' : 'human'
}

/** Fetch a link because a person posted it, to show its title and picture. */
const linkPreviewer = new RegExp(
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

/** Programs and libraries that people run; the name is at the start of the string. */
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
