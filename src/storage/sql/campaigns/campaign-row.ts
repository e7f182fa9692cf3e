import type { Kysely, Selectable } from 'kysely'
import type { Campaign, Channel } from '../../../core/campaigns/campaign-store.js'
import type { Schema } from '../database/schema.js'

export async function selectCampaign(db: Kysely<Schema>, guid: string): Promise<Campaign | undefined> {
  const row = await db.selectFrom('campaigns').selectAll().where('guid', '=', guid).executeTakeFirst()
  return row && campaignFrom(row)
}

export async function selectChannel(db: Kysely<Schema>, guid: string): Promise<Channel | undefined> {
  const row = await db.selectFrom('channels').selectAll().where('guid', '=', guid).executeTakeFirst()
  return row && channelFrom(row)
}

export function campaignFrom(row: Selectable<Schema['campaigns']>): Campaign {
  return {
    guid: row.guid,
    groupGuid: row.group_guid,
    name: row.name,
    description: row.description,
    createdBy: row.created_by,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  }
}

export function channelFrom(row: Selectable<Schema['channels']>): Channel {
  return {
    guid: row.guid,
    groupGuid: row.group_guid,
    name: row.name,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  }
}
