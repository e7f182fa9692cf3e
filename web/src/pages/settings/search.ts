import { oneOf } from '../../parts/search-params.js'

export const settingsTabs = [
  'organization',
  'tags',
  'members',
  'invitations',
  'apps',
  'webhooks',
  'audit',
  'service',
] as const
export type SettingsTab = (typeof settingsTabs)[number]

export interface SettingsSearch {
  readonly tab?: SettingsTab | undefined
  /** Whose entries of the audit log are shown. */
  readonly login?: string | undefined
}

export function readSettingsSearch(raw: Record<string, unknown>): SettingsSearch {
  return { tab: oneOf(settingsTabs, raw.tab) }
}
