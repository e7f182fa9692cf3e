/** Places where people are found: those that have an icon on a page. By the host of their URL, where that says it. */
const hosts = {
  instagram: ['instagram.com'],
  tiktok: ['tiktok.com'],
  youtube: ['youtube.com', 'youtu.be'],
  facebook: ['facebook.com', 'fb.com'],
  x: ['x.com', 'twitter.com'],
  threads: ['threads.net', 'threads.com'],
  linkedin: ['linkedin.com'],
  whatsapp: ['wa.me', 'whatsapp.com'],
  telegram: ['t.me'],
  github: ['github.com'],
  mastodon: ['mastodon.social', 'mastodon.online'],
  bluesky: ['bsky.app'],
  discord: ['discord.gg', 'discord.com'],
  spotify: ['spotify.com'],
  apple_music: ['music.apple.com'],
  apple_podcasts: ['podcasts.apple.com'],
  soundcloud: ['soundcloud.com'],
  twitch: ['twitch.tv'],
  pinterest: ['pinterest.com', 'pin.it'],
  reddit: ['reddit.com'],
  snapchat: ['snapchat.com'],
  patreon: ['patreon.com'],
  substack: ['substack.com'],
  email: [],
  phone: [],
  website: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Channel = keyof typeof hosts

export const channels = Object.keys(hosts) as readonly Channel[]

/** `website` for a host that is none of these. */
export function channelOf(url: string): Channel {
  if (/^mailto:/i.test(url)) return 'email'
  if (/^(tel|sms):/i.test(url)) return 'phone'
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return channels.find((name) => hosts[name].some((known) => host === known || host.endsWith(`.${known}`))) ?? 'website'
}

/** The name of a brand, as it is written everywhere. */
export function channelName(channel: string): string {
  const words = channel.replaceAll(/[_-]+/g, ' ')
  return written[channel] ?? words.replace(/(^| )\p{L}/gu, (letter) => letter.toUpperCase())
}

const written: Readonly<Record<string, string>> = {
  github: 'GitHub',
  linkedin: 'LinkedIn',
  soundcloud: 'SoundCloud',
  tiktok: 'TikTok',
  whatsapp: 'WhatsApp',
  youtube: 'YouTube',
}
