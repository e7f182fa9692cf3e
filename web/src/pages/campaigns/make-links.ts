/**
 * Makes the campaign, and a link with its channel for each row, one step after the other. What is made is kept in the
 * draft at once, and each request has a key: a step that is repeated after a failure or a reload makes nothing twice.
 */
import { api, ask } from '../../api/client.js'
import { withScheme } from '../../parts/with-scheme.js'
import { type Utm, withUtm } from '../create/utm.js'

export interface ChannelRow {
  readonly key: string
  readonly name: string
  /** Without `campaign`, that of the draft. */
  readonly utm: Utm
}

export interface LinksDraft {
  readonly url: string
  /** The guid of an existing campaign; empty for a new one. */
  readonly campaign: string
  readonly name: string
  /** Undefined: made of the name. */
  readonly utmCampaign?: string | undefined
  readonly domain: string
  readonly rows: readonly ChannelRow[]
  /** The guid of the campaign, once it is made. */
  readonly made?: string | undefined
  readonly links: Readonly<Record<string, MadeLink>>
  /** Of requests that were sent, by what they are for. */
  readonly keys: Readonly<Record<string, { readonly key: string; readonly body: string }>>
}

interface MadeLink {
  readonly id: string
  readonly url: string
  /** In its channel, and with it in the campaign. */
  readonly isPlaced: boolean
}

export const emptyDraft: LinksDraft = { url: '', campaign: '', name: '', domain: '', rows: [], links: {}, keys: {} }

/** As it is in URLs: `spring-sale-2026`. */
export function slugOf(name: string): string {
  const plain = name.trim().toLowerCase().replaceAll('ß', 'ss').normalize('NFD').replace(/\p{M}/gu, '')
  return plain.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '')
}

export function destinationOf({ url, utmCampaign, name }: LinksDraft, { utm }: ChannelRow): string {
  return withUtm(withScheme(url), { campaign: utmCampaign ?? slugOf(name), ...utm })
}

export function isReady(draft: LinksDraft): boolean {
  return draft.rows.length > 0 && nextRow(draft) === undefined
}

interface MakeInput {
  readonly group_guid: string
  readonly draft: LinksDraft
  readonly keep: (draft: LinksDraft) => void
}

/** The row that is made next, or being made: they are made in their order. */
export function nextRow({ rows, links }: LinksDraft): ChannelRow | undefined {
  return rows.find(({ key }) => !links[key]?.isPlaced)
}

export async function makeLinks({ group_guid, draft: given, keep }: MakeInput): Promise<LinksDraft> {
  let draft = given
  // Asked for now: a channel that exists must not be made again.
  const { channels } = await ask(api.GET('/v4/channels', { params: { query: { group_guid } } }))
  const change = (changed: Partial<LinksDraft>) => {
    draft = { ...draft, ...changed }
    keep(draft)
  }
  /** The key of a request; another one if the person changed what is sent. */
  const keyed = (step: string, sent: object) => {
    const body = JSON.stringify(sent)
    const key = draft.keys[step]?.body === body ? draft.keys[step].key : randomKey()
    change({ keys: { ...draft.keys, [step]: { key, body } } })
    return { header: { 'idempotency-key': key } }
  }
  if (!draft.made) {
    const body = { group_guid, name: draft.name.trim() }
    const made =
      draft.campaign || (await ask(api.POST('/v4/campaigns', { params: keyed('campaign', body), body }))).guid
    change({ made })
  }
  const campaign_guid = draft.made ?? ''
  for (const row of draft.rows) {
    const { key, name } = row
    let link = draft.links[key]
    if (!link) {
      const title = [draft.name.trim(), name].filter(Boolean).join(' – ')
      const long_url = destinationOf(draft, row)
      const body = { group_guid, long_url, title, force_new_link: true, ...(draft.domain && { domain: draft.domain }) }
      const made = await ask(api.POST('/v4/shortlinks', { params: keyed(`link ${key}`, body), body }))
      link = { id: made.id, url: made.link, isPlaced: false }
      change({ links: { ...draft.links, [key]: link } })
    }
    if (link.isPlaced) continue
    const shortlinks = [{ campaign_guid, shortlink_id: link.id }]
    const channel = channels.find((each) => each.name.toLowerCase() === name.toLowerCase())
    if (channel) {
      const path = { channel_guid: channel.guid }
      await ask(api.PATCH('/v4/channels/{channel_guid}', { params: { path }, body: { add_shortlinks: shortlinks } }))
    } else {
      const body = { group_guid, name, shortlinks }
      await ask(api.POST('/v4/channels', { params: keyed(`channel ${key}`, body), body }))
    }
    change({ links: { ...draft.links, [key]: { ...link, isPlaced: true } } })
  }
  return draft
}

/** Also on plain http, where browsers have no `randomUUID`. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
