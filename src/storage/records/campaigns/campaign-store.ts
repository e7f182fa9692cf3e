/**
 * Campaigns, channels and their links in SQL. campaign-store.contract.ts defines the behaviour. Writes are
 * serializable, because each checks that everything belongs to one group while others may be moving it.
 */
import type { Kysely } from 'kysely'
import type { CampaignStore, Channel, ChannelContents } from '../../../core/campaigns/campaign-store.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import {
  addCampaign,
  addChannel,
  campaignFrom,
  changeCampaign,
  changeChannel,
  channelFrom,
  remove,
  selectCampaign,
  selectChannel,
} from './write-campaigns.js'

export function sqlCampaignStore(db: Kysely<Schema>, transact: Transact): CampaignStore {
  return {
    campaign: (guid) => selectCampaign(db, guid),

    async campaigns(groupGuids) {
      if (groupGuids.length === 0) return []
      const rows = await db
        .selectFrom('campaigns')
        .selectAll()
        .where('group_guid', 'in', [...groupGuids])
        .orderBy('created_at', 'desc')
        .orderBy('guid')
        .execute()
      return rows.map(campaignFrom)
    },

    addCampaign: (campaign) => transact((tx) => addCampaign(tx, campaign), 'serializable'),
    changeCampaign: (guid, change, at) => transact((tx) => changeCampaign(tx, guid, change, at), 'serializable'),
    removeCampaign: (guid) => transact((tx) => remove(tx, 'campaign', guid), 'serializable'),

    channel: (guid) => selectChannel(db, guid),

    async channels(groupGuids, campaignGuid) {
      if (groupGuids.length === 0) return []
      const rows = await db
        .selectFrom('channels')
        .selectAll()
        .where('group_guid', 'in', [...groupGuids])
        .$if(campaignGuid !== undefined, (query) =>
          query.where('guid', 'in', (serving) =>
            serving
              .selectFrom('campaign_channels')
              .select('channel_guid')
              .where('campaign_guid', '=', campaignGuid ?? ''),
          ),
        )
        .orderBy('created_at', 'desc')
        .orderBy('guid')
        .execute()
      return rows.map(channelFrom)
    },

    addChannel: (channel) => transact((tx) => addChannel(tx, channel), 'serializable'),
    changeChannel: (guid, change, at) => transact((tx) => changeChannel(tx, guid, change, at), 'serializable'),
    removeChannel: (guid) => transact((tx) => remove(tx, 'channel', guid), 'serializable'),

    contents: (campaignGuid) => selectContents(db, campaignGuid),

    async linkCounts(campaignGuids) {
      if (campaignGuids.length === 0) return new Map()
      const rows = await db
        .selectFrom('channel_links')
        .innerJoin('links', 'links.id', 'channel_links.link_id')
        .select(['channel_links.campaign_guid', ({ fn }) => fn.count('links.id').distinct().as('count')])
        .where('channel_links.campaign_guid', 'in', [...campaignGuids])
        .where('links.deleted_at', 'is', null)
        .groupBy('channel_links.campaign_guid')
        .execute()
      return new Map(rows.map((row) => [row.campaign_guid, Number(row.count)]))
    },

    async channelNames(groupGuids) {
      if (groupGuids.length === 0) return []
      const rows = await db
        .selectFrom('channels')
        .select('name')
        .distinct()
        .where('group_guid', 'in', [...groupGuids])
        .where('guid', 'in', (serving) => serving.selectFrom('campaign_channels').select('channel_guid'))
        .execute()
      // Sorted here, because the engines collate text differently.
      return rows.map((row) => row.name).sort()
    },
  }
}

async function selectContents(db: Kysely<Schema>, campaignGuid: string): Promise<readonly ChannelContents[]> {
  const rows = await db
    .selectFrom('campaign_channels')
    .innerJoin('channels', 'channels.guid', 'campaign_channels.channel_guid')
    .leftJoin('channel_links', (join) =>
      join
        .onRef('channel_links.channel_guid', '=', 'campaign_channels.channel_guid')
        .onRef('channel_links.campaign_guid', '=', 'campaign_channels.campaign_guid'),
    )
    .leftJoin('links', (join) =>
      join.onRef('links.id', '=', 'channel_links.link_id').on('links.deleted_at', 'is', null),
    )
    .selectAll('channels')
    .select('links.id as link_id')
    .where('campaign_channels.campaign_guid', '=', campaignGuid)
    .orderBy('channels.created_at', 'desc')
    .orderBy('channels.guid')
    .orderBy('links.id')
    .execute()
  const contents = new Map<string, { readonly channel: Channel; readonly linkIds: string[] }>()
  for (const { link_id: linkId, ...row } of rows) {
    const held = contents.get(row.guid) ?? { channel: channelFrom(row), linkIds: [] }
    contents.set(row.guid, held)
    if (linkId !== null) held.linkIds.push(linkId)
  }
  return [...contents.values()]
}
