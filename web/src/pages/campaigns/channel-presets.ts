import type { Utm } from '../create/utm.js'

/** Channels that are offered, with their usual parameters. Their names are in the texts. */
export const presets = {
  newsletter: { source: 'newsletter', medium: 'email' },
  instagram: { source: 'instagram', medium: 'social' },
  facebook: { source: 'facebook', medium: 'social' },
  linkedin: { source: 'linkedin', medium: 'social' },
  tiktok: { source: 'tiktok', medium: 'social' },
  youtube: { source: 'youtube', medium: 'video' },
  ads: { source: 'google', medium: 'cpc' },
  print: { source: 'print', medium: 'qr' },
  sms: { source: 'sms', medium: 'sms' },
  partners: { source: 'partner', medium: 'referral' },
} as const satisfies Readonly<Record<string, Utm>>

export type Preset = keyof typeof presets

export const presetNames = Object.keys(presets) as readonly Preset[]
