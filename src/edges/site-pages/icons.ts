/** Small drawings for places where people are found, in one line style and of our own hand; other places get their first letter. */
import { Html, html } from './html.js'

const round = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${r * 2} 0a${r} ${r} 0 1 0-${r * 2} 0`
const dot = (x: number, y: number) => `M${x} ${y}h.01`
const ring = round(12, 12, 9)
const note = `M9 18V6l10-2v12${round(6.5, 18, 2.5)}${round(16.5, 16, 2.5)}`
const microphone = 'M9 6a3 3 0 0 1 6 0v5a3 3 0 0 1-6 0zM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21'

/** Paths of lines on 24 by 24. */
const paths: Readonly<Record<string, string>> = {
  apple_music: note,
  apple_podcasts: microphone,
  bluesky:
    'M12 11C10 7.5 6.5 5 4.5 5 3 5 3 7 3.5 10c.5 2.5 2 3.5 4.5 3-3 1-3.5 2.5-2 4.5 2.5 2.5 5 .5 6-3 1 3.5 3.5 5.5 6 3 1.5-2 1-3.5-2-4.5 2.5.5 4-.5 4.5-3 .5-3 .5-5-1-5-2 0-5.5 2.5-7.5 6z',
  contact: `M5 20.5c.5-4 3.3-6 7-6s6.5 2 7 6${round(12, 8, 4)}`,
  discord: `M8 6.2c-1.6.3-2.6.9-2.6.9C3.6 10 3 13.5 3 17c1.5 1.4 3.3 2 5 2l1.2-2.2M16 6.2c1.6.3 2.6.9 2.6.9 1.8 2.9 2.4 6.4 2.4 9.9-1.5 1.4-3.3 2-5 2l-1.2-2.2M7 16.2c3 1.4 7 1.4 10 0M8 6.8c2.5-.9 5.5-.9 8 0${round(9, 12.2, 1)}${round(15, 12.2, 1)}`,
  email:
    'M5.5 5h13A2.5 2.5 0 0 1 21 7.5v9a2.5 2.5 0 0 1-2.5 2.5h-13A2.5 2.5 0 0 1 3 16.5v-9A2.5 2.5 0 0 1 5.5 5zM4 7l8 6 8-6',
  facebook: 'M17.5 3H15c-3 0-4.5 1.9-4.5 4.7V10h-3v3.6h3V21h3.8v-7.4h2.8l.7-3.6h-3.5V8c0-.9.4-1.4 1.4-1.4h1.8z',
  github: `M7 7.5v9M17 9.5c0 4-10 2.5-10 7${round(7, 5.5, 2)}${round(7, 18.5, 2)}${round(17, 7.5, 2)}`,
  instagram: `M8.5 3.5h7a5 5 0 0 1 5 5v7a5 5 0 0 1-5 5h-7a5 5 0 0 1-5-5v-7a5 5 0 0 1 5-5z${round(12, 12, 4)}${dot(17, 7)}`,
  linkedin: `M5 10v9M10 19v-9m0 4.5c0-3 2-4.5 4.5-4.5S19 11.5 19 14v5${dot(5, 5.5)}`,
  location: `M12 21.5c-4-4.5-7-8-7-11.5a7 7 0 0 1 14 0c0 3.5-3 7-7 11.5z${round(12, 10, 2.5)}`,
  mastodon:
    'M15.5 18.5c-3 .8-6 0-6.2-2 0 0 5.2 1 8-.8 2-1.3 2.5-4.7 1.7-7.7-.8-2.8-3.5-4-7-4s-6.2 1.2-7 4c-1 4-.3 8.5 1.5 11 1.7 2.2 5.5 2.3 8 1.5M8.5 12.5V10c0-3.2 3.5-3.2 3.5 0v1.5m0-1.5c0-3.2 3.5-3.2 3.5 0v2.5',
  note: 'M6 3.5h9l4 4v13H6zM9 12h7M9 16h5',
  patreon: `M4.5 3.5v17${round(14.5, 9.5, 6)}`,
  phone:
    'M5 4h3.5L10 8.5 8 10a12 12 0 0 0 6 6l1.5-2 4.5 1.5V19a1.5 1.5 0 0 1-1.5 1.5c-8 0-15-7-15-15A1.5 1.5 0 0 1 5 4z',
  pinterest:
    'M10 21l2.6-11.5M8.3 13.3C7 9.3 9.7 6.5 13 6.5c3 0 4.7 2 4.7 4.6 0 2.9-2 5.4-4.2 5.4-1.2 0-2.1-.6-2.4-1.5M6 19a9 9 0 1 1 6 2',
  podcast: microphone,
  reddit: `M12 8.5c5 0 8.5 2.4 8.5 5.8S17 20 12 20s-8.5-2.4-8.5-5.7S7 8.5 12 8.5zm0 0 1-4.5 4 1M9 16.3c2 1.3 4 1.3 6 0${dot(9, 13)}${dot(15, 13)}${round(18.3, 5.2, 1.2)}`,
  rss: `M5 11a8 8 0 0 1 8 8M5 5a14 14 0 0 1 14 14${dot(6, 18)}`,
  save: 'M12 4v11m-4.5-4 4.5 4.5 4.5-4.5M4.5 19.5h15',
  sms: 'M6 5h12a2 2 0 0 1 2 2v7.5a2 2 0 0 1-2 2H9.5L4 20.5V7a2 2 0 0 1 2-2z',
  snapchat:
    'M12 3.5c-3 0-4.5 2-4.5 5v2H5c.5 1.5 2 2 2.5 2.5-.5 1.5-2 3-4 3.5 1 1 2.5 1 3.5 1 .5 1.5 1.5 1 3 1.5.7.3 1.2 1.5 2 1.5s1.3-1.2 2-1.5c1.5-.5 2.5 0 3-1.5 1 0 2.5 0 3.5-1-2-.5-3.5-2-4-3.5.5-.5 2-1 2.5-2.5h-2.5v-2c0-3-1.5-5-4.5-5z',
  soundcloud: 'M3 14v3M6 12v6M9 9v9M12 8v10h6.5a3.2 3.2 0 0 0 0-6.5C18 8 15 6.5 12 8',
  spotify: `${ring}M7 9.5c3.5-1 7-.7 10 1M7.5 12.7c3-.8 6-.5 8.5 1M8 15.8c2.5-.6 4.5-.4 6.5.8`,
  substack: 'M5 4.5h14M5 8.5h14M5 12.5h14V21l-7-4-7 4z',
  telegram: 'M21 4 3 11l6 2.5L18 7l-7 8 6 5z',
  threads: 'M16.5 12a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zm0-4v5.5c0 1.5.9 2.5 2 2.5s2.5-1.5 2.5-4a9 9 0 1 0-4 7.5',
  tiktok: 'M13 4v11.5A3.5 3.5 0 1 1 9.5 12M13 4c.5 3 2.5 4.7 5.5 5',
  twitch: 'M5.5 3.5h15v10l-4 4h-4L9 21v-3.5H4V7zM11 8v4M16 8v4',
  website: `${ring}M3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9S9 6 12 3`,
  whatsapp:
    'M3.5 20.5l1.3-4.3a8.5 8.5 0 1 1 3.2 3.1zM9 8.5c0 4 2.5 6.5 6.5 6.5l.5-2-2-.8-1 1c-1.2-.5-2-1.2-2.2-2.2l1-1L11 8z',
  x: 'M4.5 4h4l11 16h-4zM4.5 20l6.3-7M19.5 4l-6.3 7',
  youtube: 'M6.5 5.5h11a4 4 0 0 1 4 4v5a4 4 0 0 1-4 4h-11a4 4 0 0 1-4-4v-5a4 4 0 0 1 4-4zM10 9v6l5-3z',
}

const otherNames: Readonly<Record<string, string>> = {
  mail: 'email',
  messenger: 'sms',
  personal_website: 'website',
  twitter: 'x',
  web: 'website',
}

/** Its name is read out beside it. */
export function iconOf(channel: string): Html {
  const key = channel.toLowerCase().replaceAll(/[\s-]+/g, '_')
  const path = paths[otherNames[key] ?? key]
  if (path === undefined) return html`<span class="i" aria-hidden="true">${[...channel][0]?.toUpperCase()}</span>`
  return new Html(`<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`)
}

/** `apple_music` is shown as "Apple music". */
export function channelName(channel: string): string {
  const key = channel.toLowerCase()
  const known = brandNames[otherNames[key] ?? key]
  if (known !== undefined) return known
  const words = channel.replaceAll(/[_-]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const brandNames: Readonly<Record<string, string>> = {
  apple_music: 'Apple Music',
  apple_podcasts: 'Apple Podcasts',
  github: 'GitHub',
  linkedin: 'LinkedIn',
  rss: 'RSS',
  sms: 'SMS',
  soundcloud: 'SoundCloud',
  tiktok: 'TikTok',
  whatsapp: 'WhatsApp',
  x: 'X',
  youtube: 'YouTube',
}
