/** Parses the referrer: the header as sent, its host, a readable name and its network. */
import { parse } from 'tldts'
import { parseUrl } from '../../lib/parse-url.js'
import type { TextsOf } from './dimensions.js'

export type Referrer = TextsOf<'referrer'>

const direct = named('direct', 'direct', { name: 'direct', network: 'direct' }, '')

/** The maximum length of a long URL. */
const maxLength = 2048

export function readReferrer(text: string): Referrer {
  const raw = text.trim().slice(0, maxLength)
  const url = parseUrl(raw)
  const domain = url?.hostname.toLowerCase().replace(/\.$/, '') ?? ''
  if (!url || domain === '') return direct
  // Android names the app that opened the link: android-app://com.example.app/
  if (url.protocol === 'android-app:' || url.protocol === 'ios-app:')
    return named(raw, domain, siteOfApp(domain), domain)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return direct
  const parsed = parse(domain)
  return named(raw, domain, siteOfDomain(parsed.domain, parsed.domainWithoutSuffix, domain), parsed.domain ?? domain)
}

function named(
  referrer: string,
  referrerDomain: string,
  site: Pick<Site, 'name' | 'network'> | undefined,
  fallback: string,
): Referrer {
  const [referrerName, referrerNetwork] = [site?.name ?? fallback, site?.network ?? 'other']
  return { referrer, referrerDomain, referrerName, referrerNetwork, site: '' }
}

/** The referrer of a visit by a button of this site (docs/api/sites.md). */
export function withSite(referrer: Referrer, site: string): Referrer {
  return { ...referrer, site }
}

/** Well-known sites, to name referrers. Other sites keep their domain as name. */
interface Site {
  readonly network: string
  readonly name: string
  /** Registrable domains, or host names for a part of a site. */
  readonly domains: readonly string[]
  /** The site uses any public suffix: google.de, google.co.jp. */
  readonly anySuffix?: string
  /** App ids, as in android-app:// referrers. */
  readonly apps?: readonly string[]
}

/** A host name is more specific than its domain: mail.google.com is Gmail. */
function siteOfDomain(domain: string | null, label: string | null, host: string): Site | undefined {
  return byDomain.get(host) ?? byDomain.get(domain ?? host) ?? byLabel.get(label ?? '')
}

function siteOfApp(app: string): Site | undefined {
  return byApp.get(app)
}

const sites: readonly Site[] = [
  {
    network: 'google',
    name: 'Google',
    domains: ['googleusercontent.com', 'g.co'],
    anySuffix: 'google',
    apps: ['com.google.android.googlequicksearchbox', 'com.google.android.gms', 'com.android.chrome'],
  },
  {
    network: 'gmail',
    name: 'Gmail',
    domains: ['mail.google.com', 'gmail.com'],
    apps: ['com.google.android.gm', 'com.google.android.gm.lite'],
  },
  {
    network: 'google-news',
    name: 'Google News',
    domains: ['news.google.com'],
    apps: ['com.google.android.apps.magazines'],
  },
  {
    network: 'youtube',
    name: 'YouTube',
    domains: ['youtube.com', 'youtu.be', 'youtube-nocookie.com'],
    apps: ['com.google.android.youtube'],
  },
  {
    network: 'facebook',
    name: 'Facebook',
    domains: ['facebook.com', 'fb.com', 'fb.me', 'fb.watch'],
    apps: ['com.facebook.katana', 'com.facebook.lite'],
  },
  {
    network: 'messenger',
    name: 'Messenger',
    domains: ['messenger.com', 'm.me'],
    apps: ['com.facebook.orca', 'com.facebook.mlite'],
  },
  {
    network: 'instagram',
    name: 'Instagram',
    domains: ['instagram.com', 'instagr.am', 'ig.me'],
    apps: ['com.instagram.android', 'com.instagram.lite'],
  },
  { network: 'threads', name: 'Threads', domains: ['threads.net', 'threads.com'], apps: ['com.instagram.barcelona'] },
  {
    network: 'whatsapp',
    name: 'WhatsApp',
    domains: ['whatsapp.com', 'wa.me', 'whatsapp.net'],
    apps: ['com.whatsapp', 'com.whatsapp.w4b'],
  },
  { network: 'twitter', name: 'X (Twitter)', domains: ['t.co', 'x.com', 'twitter.com'], apps: ['com.twitter.android'] },
  {
    network: 'linkedin',
    name: 'LinkedIn',
    domains: ['linkedin.com', 'lnkd.in', 'licdn.com'],
    apps: ['com.linkedin.android'],
  },
  {
    network: 'tiktok',
    name: 'TikTok',
    domains: ['tiktok.com', 'tiktokv.com'],
    apps: ['com.zhiliaoapp.musically', 'com.ss.android.ugc.trill'],
  },
  { network: 'pinterest', name: 'Pinterest', domains: ['pin.it'], anySuffix: 'pinterest', apps: ['com.pinterest'] },
  { network: 'reddit', name: 'Reddit', domains: ['reddit.com', 'redd.it'], apps: ['com.reddit.frontpage'] },
  {
    network: 'telegram',
    name: 'Telegram',
    domains: ['telegram.org', 't.me', 'telegram.me'],
    apps: ['org.telegram.messenger', 'org.telegram.messenger.web', 'org.thunderdog.challegram'],
  },
  { network: 'signal', name: 'Signal', domains: ['signal.org', 'signal.me'], apps: ['org.thoughtcrime.securesms'] },
  {
    network: 'discord',
    name: 'Discord',
    domains: ['discord.com', 'discord.gg', 'discordapp.com'],
    apps: ['com.discord'],
  },
  { network: 'slack', name: 'Slack', domains: ['slack.com', 'slack-redir.net'], apps: ['com.slack'] },
  {
    network: 'teams',
    name: 'Microsoft Teams',
    domains: ['teams.microsoft.com', 'statics.teams.cdn.office.net', 'teams.live.com'],
    apps: ['com.microsoft.teams'],
  },
  {
    network: 'outlook',
    name: 'Outlook',
    domains: [
      'outlook.com',
      'outlook.live.com',
      'outlook.office.com',
      'outlook.office365.com',
      'safelinks.protection.outlook.com',
    ],
    apps: ['com.microsoft.office.outlook'],
  },
  { network: 'snapchat', name: 'Snapchat', domains: ['snapchat.com'], apps: ['com.snapchat.android'] },
  { network: 'bluesky', name: 'Bluesky', domains: ['bsky.app', 'bsky.social'], apps: ['xyz.blueskyweb.app'] },
  {
    network: 'mastodon',
    name: 'Mastodon',
    domains: ['mastodon.social', 'mastodon.online', 'mstdn.social'],
    apps: ['org.joinmastodon.android'],
  },
  { network: 'tumblr', name: 'Tumblr', domains: ['tumblr.com'], apps: ['com.tumblr'] },
  { network: 'quora', name: 'Quora', domains: ['quora.com'], apps: ['com.quora.android'] },
  { network: 'medium', name: 'Medium', domains: ['medium.com'], apps: ['com.medium.reader'] },
  { network: 'substack', name: 'Substack', domains: ['substack.com'], apps: ['com.substack.app'] },
  { network: 'linktree', name: 'Linktree', domains: ['linktr.ee', 'linktree.com'] },
  { network: 'github', name: 'GitHub', domains: ['github.com'], apps: ['com.github.android'] },
  { network: 'stackoverflow', name: 'Stack Overflow', domains: ['stackoverflow.com'] },
  { network: 'hackernews', name: 'Hacker News', domains: ['news.ycombinator.com'] },
  { network: 'wikipedia', name: 'Wikipedia', domains: ['wikipedia.org'], apps: ['org.wikipedia'] },
  { network: 'bing', name: 'Bing', domains: ['bing.com'], apps: ['com.microsoft.bing'] },
  { network: 'duckduckgo', name: 'DuckDuckGo', domains: ['duckduckgo.com'], apps: ['com.duckduckgo.mobile.android'] },
  { network: 'yahoo', name: 'Yahoo', domains: [], anySuffix: 'yahoo' },
  { network: 'yandex', name: 'Yandex', domains: ['ya.ru'], anySuffix: 'yandex', apps: ['ru.yandex.searchplugin'] },
  { network: 'baidu', name: 'Baidu', domains: ['baidu.com'], apps: ['com.baidu.searchbox'] },
  { network: 'ecosia', name: 'Ecosia', domains: ['ecosia.org'], apps: ['com.ecosia.android'] },
  { network: 'brave', name: 'Brave Search', domains: ['search.brave.com'] },
  { network: 'startpage', name: 'Startpage', domains: ['startpage.com'] },
  { network: 'qwant', name: 'Qwant', domains: ['qwant.com'] },
  { network: 'naver', name: 'Naver', domains: ['naver.com'], apps: ['com.nhn.android.search'] },
  { network: 'vk', name: 'VK', domains: ['vk.com', 'vk.ru', 'vkontakte.ru'], apps: ['com.vkontakte.android'] },
  { network: 'line', name: 'LINE', domains: ['line.me'], apps: ['jp.naver.line.android'] },
  { network: 'kakao', name: 'KakaoTalk', domains: ['kakao.com'], apps: ['com.kakao.talk'] },
  { network: 'wechat', name: 'WeChat', domains: ['weixin.qq.com', 'wechat.com'], apps: ['com.tencent.mm'] },
  { network: 'weibo', name: 'Weibo', domains: ['weibo.com', 'weibo.cn'], apps: ['com.sina.weibo'] },
  { network: 'xing', name: 'XING', domains: ['xing.com'], apps: ['com.xing.android'] },
  { network: 'twitch', name: 'Twitch', domains: ['twitch.tv'], apps: ['tv.twitch.android.app'] },
  { network: 'vimeo', name: 'Vimeo', domains: ['vimeo.com'] },
  { network: 'spotify', name: 'Spotify', domains: ['spotify.com'], apps: ['com.spotify.music'] },
  { network: 'amazon', name: 'Amazon', domains: ['amzn.to'], anySuffix: 'amazon' },
  { network: 'ebay', name: 'eBay', domains: [], anySuffix: 'ebay', apps: ['com.ebay.mobile'] },
  { network: 'chatgpt', name: 'ChatGPT', domains: ['chatgpt.com', 'chat.openai.com'], apps: ['com.openai.chatgpt'] },
  { network: 'perplexity', name: 'Perplexity', domains: ['perplexity.ai'], apps: ['ai.perplexity.app.android'] },
]

const byDomain = new Map(sites.flatMap((site) => site.domains.map((domain) => [domain, site] as const)))
const byLabel = new Map(sites.flatMap((site) => (site.anySuffix ? [[site.anySuffix, site] as const] : [])))
const byApp = new Map(sites.flatMap((site) => (site.apps ?? []).map((app) => [app, site] as const)))
