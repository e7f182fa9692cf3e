import { describe, expect, it } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { domainStoreContract } from '../../../core/domains/domain-store.contract.js'

const accounts = `
  insert into organizations (guid, name, created_at, modified_at) values ('Oone', 'o', 1, 1), ('Otwo', 'o', 1, 1);
  insert into groups (guid, organization_guid, name, domain_preference, created_at, modified_at) values
    ('Ba', 'Oone', 'g', 'go.example.com', 1, 1), ('Bb', 'Oone', 'g', null, 1, 1), ('Bc', 'Otwo', 'g', null, 1, 1)`

const oneAccount = `
  insert into organizations (guid, name, created_at, modified_at) values ('Oone', 'o', 1, 1);
  insert into groups (guid, organization_guid, name, created_at, modified_at) values ('Ba', 'Oone', 'g', 1, 1)`

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    async function open() {
      const database = await engine.create()
      const records = await database.connect()
      await records.migrate()
      await database.run(accounts)
      return {
        ...records,
        async close() {
          await records.close()
          await database.remove()
        },
      }
    }
    async function openTwice() {
      const database = await engine.create()
      const first = await database.connect()
      await first.migrate()
      await database.run(oneAccount)
      const second = await database.connect()
      const close = async () => {
        await first.close()
        await database.remove()
      }
      return [
        { ...first, close: () => second.close().then(close) },
        { ...second, close: async () => {} },
      ] as const
    }
    domainStoreContract({ open, builtIn: { open: openTwice } })

    it('reads the preferences of all groups that have one', async () => {
      const records = await open()
      expect(await records.domainStore.preferences()).toEqual(new Map([['Ba', 'go.example.com']]))
      await records.close()
    })
  })
}
