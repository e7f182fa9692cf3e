import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../test/support/migrate-to.js'
import { sqlEngines } from '../../../../test/support/sql-engines.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('earlier entries of the operator are listed under the operator, with the affected account', async () => {
      const database = await engine.create()
      await migrateTo(engine, database, '0009-stream-links')
      await database.run(`
        insert into audit_log (guid, at, action, login, details) values
          ('L1', 1, 'password_changed', 'ada', '{"by":"operator"}'),
          ('L2', 2, 'application_registered', 'ada', '{"by":"operator","name":"x"}'),
          ('L3', 3, 'application_registered', 'ada', '{"by":"owner","name":"\\"by\\":\\"operator\\""}')`)
      const records = await database.connect()
      await records.migrate()
      const everything = { organizationGuid: undefined, login: undefined, after: undefined, size: 10 }
      const entries = await records.audit.list(everything)
      expect(entries.map(({ guid, login, account }) => [guid, login, account])).toEqual([
        ['L3', 'ada', undefined],
        ['L2', 'operator', 'ada'],
        ['L1', 'operator', 'ada'],
      ])
      await records.close()
      await database.remove()
    })
  })
}
