import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { builtInStoreContract } from '../../../core/domains/built-in-store.contract.js'

const accounts = `
  insert into organizations (guid, name, created_at, modified_at) values ('Oone', 'o', 1, 1);
  insert into groups (guid, organization_guid, name, created_at, modified_at) values ('Ba', 'Oone', 'g', 1, 1)`

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () =>
    builtInStoreContract({
      async open() {
        const database = await engine.create()
        const first = await database.connect()
        await first.migrate()
        await database.run(accounts)
        const second = await database.connect()
        const close = async () => {
          await first.close()
          await database.remove()
        }
        return [
          { ...first, close: () => second.close().then(close) },
          { ...second, close: async () => {} },
        ]
      },
    }),
  )
}
