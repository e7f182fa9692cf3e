import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import type { Records } from '../../storage/records/records.js'
import { bootstrap } from '../accounts/stores.builder.js'
import { aClick } from '../clicks/click-log.contract.js'
import { engagementKinds, visitKinds } from '../clicks/dimensions.js'
import { ClickMessages } from './click-messages.js'
import { CurrentDomainNames, Subscriptions } from './subscriptions.js'

describe('clicks as messages', () => {
  let records: Records
  beforeEach(async () => {
    records = await temporaryRecords()
    await bootstrap(records.accounts, { login: 'ada', at: 1 })
    await records.streamStore.allowReader({ kind: 'organization', subject: 'O1' }, 'operator', 1)
  })
  afterEach(() => records.close())

  it('reach the organization also when who may read is read again while the batch waits', async () => {
    const subscriptions = new Subscriptions({ ...records })
    const streamStore = {
      async linkFacts(addresses: readonly string[]) {
        await subscriptions.refresh()
        return records.streamStore.linkFacts(addresses)
      },
    }
    const names = new CurrentDomainNames(records)
    const messages = new ClickMessages({ streamStore, subscriptions, names })
    const clicks = [1, 2].map((number) => aClick({ groupGuid: 'B1', linkId: `sho.rt/link${number}` }))
    const batches = await messages.batchesOf(clicks)
    expect(batches.map(([topic, { length }]) => [topic, length])).toEqual([
      ['clicks', 2],
      ['clicks.O1', 2],
    ])
    for (const message of batches.flatMap(([, all]) => all)) {
      expect(JSON.parse(String(message))).toMatchObject({ organization_guid: 'O1' })
    }
  })

  it('are not made of views of sites', async () => {
    const subscriptions = new Subscriptions({ ...records })
    const names = new CurrentDomainNames(records)
    const messages = new ClickMessages({ streamStore: records.streamStore, subscriptions, names })
    const clicks = visitKinds.map((kind) => aClick({ groupGuid: 'B1', kind }))
    const batches = await messages.batchesOf(clicks)
    const kinds = batches.map(([, all]) => all.map((message) => JSON.parse(String(message)).kind))
    expect(kinds).toEqual([engagementKinds, engagementKinds])
  })

  it('reach the organization also when that happens while its groups are looked up', async () => {
    const groups = {
      ...records.groups,
      async groups(guids: readonly string[] | 'all') {
        const found = await records.groups.groups(guids)
        await subscriptions.refresh()
        return found
      },
    }
    const subscriptions: Subscriptions = new Subscriptions({ ...records, groups })
    const names = new CurrentDomainNames(records)
    const messages = new ClickMessages({ streamStore: records.streamStore, subscriptions, names })
    const batches = await messages.batchesOf([aClick({ groupGuid: 'B1' })])
    expect(batches.map(([topic]) => topic)).toEqual(['clicks', 'clicks.O1'])
  })
})
