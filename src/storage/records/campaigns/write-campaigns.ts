/**
 * Creates and changes campaigns and channels. Each change is one serializable transaction that first checks that
 * everything belongs to the same group.
 */
import type { Kysely, Transaction } from 'kysely'
import type {
  Campaign,
  CampaignChange,
  Channel,
  ChannelChange,
  ChannelLink,
  InvalidReference,
  NamedChannel,
  NewCampaign,
  NewChannel,
  Saved,
} from '../../../core/campaigns/campaign-store.js'
import { chunks } from '../../../lib/chunks.js'
import { changesRow } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { insertMissing, insertRows, updateRows } from '../steps/rows.js'

export async function addCampaign(tx: Transaction<Schema>, campaign: NewCampaign): Promise<Saved<Campaign>> {
  const { guid, groupGuid, name, description, createdBy, channelGuids, namedChannels = [], at } = campaign
  const reference = await invalidReference(tx, 'channel', channelGuids, groupGuid, true)
  if (reference) return { outcome: 'invalid-reference', reference }

  const times = { created_at: at, modified_at: at }
  const row = { guid, group_guid: groupGuid, name, description, created_by: createdBy, ...times }
  await tx.insertInto('campaigns').values(row).execute()
  const named = await channelsNamed(tx, groupGuid, namedChannels, at)
  await addCampaignChannels(tx, [guid], [...channelGuids, ...named])
  return { outcome: 'saved', saved: campaignFrom(row) }
}

export async function changeCampaign(
  tx: Transaction<Schema>,
  guid: string,
  change: CampaignChange,
  at: number,
): Promise<Saved<Campaign>> {
  const before = await selectCampaign(tx, guid)
  if (!before) return { outcome: 'missing' }
  const { groupGuid = before.groupGuid, name = before.name, description = before.description, channelGuids } = change
  const channels = channelGuids ?? (await channelsOf(tx, guid))
  const reference = await invalidReference(tx, 'channel', channels, groupGuid, channelGuids !== undefined)
  if (reference) return { outcome: 'invalid-reference', reference }

  if (channelGuids) await replaceCampaignChannels(tx, guid, channelGuids)
  const named = await channelsNamed(tx, groupGuid, change.namedChannels ?? [], at)
  await addCampaignChannels(tx, [guid], named)
  const modifiedAt = after(before, at)
  await updateRows(tx, 'campaigns', { guid }, { group_guid: groupGuid, name, description, modified_at: modifiedAt })
  return { outcome: 'saved', saved: { ...before, groupGuid, name, description, modifiedAt } }
}

export async function addChannel(tx: Transaction<Schema>, channel: NewChannel): Promise<Saved<Channel>> {
  const { guid, groupGuid, name, links, at } = channel
  const placed = await placeLinks(tx, links, groupGuid)
  if ('invalidReference' in placed) return { outcome: 'invalid-reference', reference: placed.invalidReference }

  const row = { guid, group_guid: groupGuid, name, created_at: at, modified_at: at }
  await tx.insertInto('channels').values(row).execute()
  await addChannelLinks(tx, guid, placed.links)
  return { outcome: 'saved', saved: channelFrom(row) }
}

export async function changeChannel(
  tx: Transaction<Schema>,
  guid: string,
  change: ChannelChange,
  at: number,
): Promise<Saved<Channel>> {
  const before = await selectChannel(tx, guid)
  if (!before) return { outcome: 'missing' }
  const { groupGuid = before.groupGuid, name = before.name } = change
  const placed = await placeLinks(tx, [...(change.links ?? []), ...(change.addLinks ?? [])], groupGuid)
  if ('invalidReference' in placed) return { outcome: 'invalid-reference', reference: placed.invalidReference }
  const removed = await placeLinks(tx, change.removeLinks ?? [], groupGuid)
  if ('invalidReference' in removed) return { outcome: 'invalid-reference', reference: removed.invalidReference }
  const reference = await invalidReference(tx, 'campaign', await campaignsOf(tx, guid), groupGuid, false)
  if (reference) return { outcome: 'invalid-reference', reference }

  const ofChannel = tx.deleteFrom('channel_links').where('channel_guid', '=', guid)
  if (change.links) await ofChannel.execute()
  for (const { campaignGuid, linkId } of removed.links) {
    await ofChannel.where('campaign_guid', '=', campaignGuid).where('link_id', '=', linkId).execute()
  }
  await addChannelLinks(tx, guid, placed.links)
  const modifiedAt = after(before, at)
  await updateRows(tx, 'channels', { guid }, { group_guid: groupGuid, name, modified_at: modifiedAt })
  return { outcome: 'saved', saved: { ...before, groupGuid, name, modifiedAt } }
}

/** Every change has its own time: it alone shows that the channels of a campaign or the links of a channel changed. */
function after(before: { readonly modifiedAt: number }, at: number): number {
  return Math.max(at, before.modifiedAt + 1)
}

/** A campaign or a channel, and its connections. */
export async function remove(tx: Transaction<Schema>, what: 'campaign' | 'channel', guid: string): Promise<boolean> {
  for (const table of ['campaign_channels', 'channel_links'] as const) {
    await tx.deleteFrom(table).where(`${what}_guid`, '=', guid).execute()
  }
  return changesRow(tx.deleteFrom(`${what}s`).where('guid', '=', guid))
}

/** A channel that leaves the campaign also loses its links in the campaign. */
async function replaceCampaignChannels(
  tx: Transaction<Schema>,
  campaignGuid: string,
  channelGuids: readonly string[],
): Promise<void> {
  const kept = new Set(channelGuids)
  for (const channelGuid of await channelsOf(tx, campaignGuid)) {
    if (kept.has(channelGuid)) continue
    for (const table of ['campaign_channels', 'channel_links'] as const) {
      const ofCampaign = tx.deleteFrom(table).where('campaign_guid', '=', campaignGuid)
      await ofCampaign.where('channel_guid', '=', channelGuid).execute()
    }
  }
  await addCampaignChannels(tx, [campaignGuid], channelGuids)
}

/** Connects each of the campaigns with each of the channels. */
async function addCampaignChannels(
  tx: Transaction<Schema>,
  campaigns: readonly string[],
  channels: readonly string[],
): Promise<void> {
  const rows = campaigns.flatMap((campaign_guid) => channels.map((channel_guid) => ({ campaign_guid, channel_guid })))
  for (const some of chunks(rows, rowsPerStatement)) await insertMissing(tx, 'campaign_channels', some)
}

async function addChannelLinks(tx: Transaction<Schema>, channelGuid: string, links: readonly Placed[]): Promise<void> {
  const rows = links.map((link) => ({
    channel_guid: channelGuid,
    campaign_guid: link.campaignGuid,
    link_id: link.linkId,
  }))
  for (const some of chunks(rows, rowsPerStatement)) await insertMissing(tx, 'channel_links', some)
  await addCampaignChannels(tx, [...new Set(links.map((link) => link.campaignGuid))], [channelGuid])
}

/** The guids of the channels with these names; creates missing ones. */
async function channelsNamed(
  tx: Transaction<Schema>,
  groupGuid: string,
  wanted: readonly NamedChannel[],
  at: number,
): Promise<readonly string[]> {
  if (wanted.length === 0) return []
  const known = await tx
    .selectFrom('channels')
    .select(['guid', 'name'])
    .where('group_guid', '=', groupGuid)
    .where('name', 'in', [...new Set(wanted.map((channel) => channel.name))])
    .orderBy('created_at', 'desc')
    .orderBy('guid', 'desc')
    .execute()
  // The last one of a name is its oldest.
  const guids = new Map(known.map((row) => [row.name, row.guid]))
  for (const { guid, name } of wanted) {
    if (guids.has(name)) continue
    guids.set(name, guid)
    await insertRows(tx, 'channels', { guid, group_guid: groupGuid, name, created_at: at, modified_at: at })
  }
  return [...new Set(wanted.map((channel) => guids.get(channel.name) ?? channel.guid))]
}

// Takes SQLite about a millisecond. Between two statements the event loop can continue.
const rowsPerStatement = 100

interface Placed {
  readonly campaignGuid: string
  readonly linkId: string
}

/** Resolves the addresses, if the links and their campaigns all belong to the group. */
async function placeLinks(
  tx: Transaction<Schema>,
  links: readonly ChannelLink[],
  groupGuid: string,
): Promise<{ readonly links: readonly Placed[] } | { readonly invalidReference: InvalidReference }> {
  if (links.length === 0) return { links: [] }
  const campaigns = links.map((link) => link.campaignGuid)
  const reference = await invalidReference(tx, 'campaign', campaigns, groupGuid, true)
  if (reference) return { invalidReference: reference }

  const found = new Map<string, { readonly id: string; readonly group_guid: string }>()
  for (const some of chunks([...new Set(links.map((link) => link.address))], rowsPerStatement)) {
    const rows = await tx
      .selectFrom('addresses')
      .innerJoin('links', 'links.id', 'addresses.link_id')
      .select(['addresses.address', 'links.id', 'links.group_guid'])
      .where('addresses.address', 'in', some)
      .where('links.deleted_at', 'is', null)
      .where('links.hidden', '=', 0)
      .execute()
    for (const row of rows) found.set(row.address, row)
  }
  const placed: Placed[] = []
  for (const { campaignGuid, address } of links) {
    const link = found.get(address)
    if (link?.group_guid !== groupGuid) {
      return { invalidReference: { kind: 'link', id: address, groupGuid: link?.group_guid, named: true } }
    }
    placed.push({ campaignGuid, linkId: link.id })
  }
  return { links: placed }
}

async function invalidReference(
  tx: Transaction<Schema>,
  kind: 'campaign' | 'channel',
  guids: readonly string[],
  groupGuid: string,
  named: boolean,
): Promise<InvalidReference | undefined> {
  if (guids.length === 0) return undefined
  const rows = await tx
    .selectFrom(kind === 'campaign' ? 'campaigns' : 'channels')
    .select(['guid', 'group_guid'])
    .where('guid', 'in', [...new Set(guids)])
    .execute()
  const groups = new Map(rows.map((row) => [row.guid, row.group_guid]))
  const wrong = guids.find((guid) => groups.get(guid) !== groupGuid)
  return wrong === undefined ? undefined : { kind, id: wrong, groupGuid: groups.get(wrong), named }
}

async function channelsOf(tx: Transaction<Schema>, campaignGuid: string): Promise<string[]> {
  const connections = tx.selectFrom('campaign_channels').select('channel_guid')
  return (await connections.where('campaign_guid', '=', campaignGuid).execute()).map((row) => row.channel_guid)
}

async function campaignsOf(tx: Transaction<Schema>, channelGuid: string): Promise<string[]> {
  const connections = tx.selectFrom('campaign_channels').select('campaign_guid')
  return (await connections.where('channel_guid', '=', channelGuid).execute()).map((row) => row.campaign_guid)
}

export async function selectCampaign(db: Kysely<Schema>, guid: string): Promise<Campaign | undefined> {
  const row = await db.selectFrom('campaigns').selectAll().where('guid', '=', guid).executeTakeFirst()
  return row && campaignFrom(row)
}

export async function selectChannel(db: Kysely<Schema>, guid: string): Promise<Channel | undefined> {
  const row = await db.selectFrom('channels').selectAll().where('guid', '=', guid).executeTakeFirst()
  return row && channelFrom(row)
}

export const campaignFrom: (row: object) => Campaign = codec('campaigns').fields
export const channelFrom: (row: object) => Channel = codec('channels').fields
