/** The names of what rows of numbers can be: of all of them, and of one in a filter. Both languages, because they are few. */
const names = {
  countries: { en: ['Countries', 'Country'], de: ['Länder', 'Land'] },
  cities: { en: ['Cities', 'City'], de: ['Städte', 'Stadt'] },
  referrers: { en: ['Referrers', 'Referrer'], de: ['Herkunft', 'Herkunft'] },
  referring_domains: { en: ['Sites', 'Site'], de: ['Websites', 'Website'] },
  referring_networks: { en: ['Networks', 'Network'], de: ['Netzwerke', 'Netzwerk'] },
  devices: { en: ['Devices', 'Device'], de: ['Geräte', 'Gerät'] },
  os: { en: ['Systems', 'System'], de: ['Systeme', 'System'] },
  browsers: { en: ['Browsers', 'Browser'], de: ['Browser', 'Browser'] },
  agents: { en: ['AI agents', 'AI agent'], de: ['KI-Agenten', 'KI-Agent'] },
  destinations: { en: ['Destinations', 'Destination'], de: ['Ziele', 'Ziel'] },
  addresses: { en: ['Back-halves', 'Back-half'], de: ['Kurznamen', 'Kurzname'] },
  links: { en: ['Links', 'Link'], de: ['Links', 'Link'] },
  channels: { en: ['Channels', 'Channel'], de: ['Kanäle', 'Kanal'] },
} as const

export type DimensionNames = Readonly<Record<keyof typeof names, readonly [all: string, one: string]>>

export function dimensionNames(language: 'en' | 'de'): DimensionNames {
  const own = Object.entries(names).map(([name, texts]) => [name, texts[language]])
  return Object.fromEntries(own) as DimensionNames
}
