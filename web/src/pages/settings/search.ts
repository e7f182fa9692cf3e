import { day, oneOf, text } from '../../parts/search-params.js'

export const settingsTabs = ['organization', 'tags', 'members', 'apps', 'webhooks', 'audit', 'service'] as const
export type SettingsTab = (typeof settingsTabs)[number]

export interface SettingsSearch {
  readonly tab?: SettingsTab | undefined
  /** Whose entries of the audit log are shown. */
  readonly login?: string | undefined
  /** Of the audit log, too: the thing by its id, a kind of thing, an action, the first and the last day. */
  readonly subject?: string | undefined
  readonly kind?: string | undefined
  readonly action?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export function readSettingsSearch(raw: Record<string, unknown>): SettingsSearch {
  return {
    tab: oneOf(settingsTabs, raw.tab),
    login: text(raw.login),
    subject: text(raw.subject),
    kind: text(raw.kind),
    action: text(raw.action),
    from: day(raw.from),
    to: day(raw.to),
  }
}
