import { describe, expect, it } from 'vitest'
import { recordsOfTest, sqlEngines } from '../../../../test/support/sql-engines.js'
import { applicationStoreContract } from '../../../core/accounts/application-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    applicationStoreContract(engine.open)

    it('revokes the tokens of an application, and no others', async () => {
      const { database, records } = await recordsOfTest(engine)
      await database.run(`
        insert into organizations (guid, name, created_at, modified_at) values ('O1', 'o', 1, 1);
        insert into groups (guid, organization_guid, name, created_at, modified_at) values ('B1', 'O1', 'g', 1, 1);
        insert into users (login, name, password_hash, default_group_guid, created_at, modified_at) values
          ('ada', 'Ada', 'x', 'B1', 1, 1);
        insert into applications (client_id, secret_hash, login, name, description, link, redirect_uris, require_pkce, created_at)
          values ('app1', 'x', 'ada', 'n', '', '', '[]', 0, 1);
        insert into tokens (guid, secret_hash, hint, login, client_id, label, created_at, revoked_at) values
          ('T1', '1', 'h', 'ada', 'app1', 'l', 1, null), ('T2', '2', 'h', 'ada', 'app1', 'l', 2, 3),
          ('T3', '3', 'h', 'ada', 'app2', 'l', 3, null), ('T4', '4', 'h', 'ada', null, 'l', 4, null)`)
      expect(await records.applications.revoke('app1', 9)).toBe(true)
      const tokens = await records.accounts.listTokens(undefined)
      expect(tokens.map(({ guid, revokedAt }) => [guid, revokedAt])).toEqual([
        ['T1', 9],
        ['T2', 3],
        ['T3', undefined],
        ['T4', undefined],
      ])
    })
  })
}
