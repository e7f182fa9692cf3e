import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../test/support/migrate-to.js'
import { sqlEngines } from '../../../../test/support/sql-engines.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('SCIM knows those who signed in before by their subject', async () => {
      const database = await engine.create()
      await migrateTo(engine, database, '0051-identities')
      await database.run(`
        insert into identities (issuer, subject, login, created_at, last_sign_in_at)
          values ('https://id.example', 's1', 'ada', 1, 2)`)
      const records = await database.connect()
      await records.migrate()
      expect(await records.accounts.identities('ada')).toEqual([
        { issuer: 'https://id.example', subject: 's1', login: 'ada', createdAt: 1, lastSignInAt: 2, externalId: 's1' },
      ])
      await records.close()
      await database.remove()
    })
  })
}
