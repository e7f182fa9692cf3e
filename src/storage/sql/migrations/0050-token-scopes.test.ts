import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../test/support/migrate-to.js'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { neededSet, requireScope, scopeNames } from '../../../core/accounts/scopes.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('existing tokens and applications keep everything', async () => {
      const database = await engine.create()
      await migrateTo(engine, database, '0049-sites')
      await database.run(`
        insert into organizations (guid, name, created_at, modified_at) values ('O1', 'One', 1, 1);
        insert into groups (guid, organization_guid, name, created_at, modified_at) values ('B1', 'O1', 'One', 1, 1);
        insert into users (login, name, password_hash, default_group_guid, created_at, modified_at)
          values ('ada', 'Ada', 'x', 'B1', 1, 1);
        insert into applications (client_id, secret_hash, login, name, description, link, redirect_uris, require_pkce, created_at)
          values ('app1', 's', 'ada', 'Reader', '', '', '[]', 0, 1);
        insert into tokens (guid, secret_hash, hint, login, client_id, label, created_at)
          values ('T1', 'own', 'h', 'ada', null, '', 1), ('T2', 'through', 'h', 'ada', 'app1', '', 2)`)
      const records = await database.connect()
      await records.migrate()
      expect((await records.applications.get('app1'))?.scopes).toEqual(['all'])
      for (const token of await records.accounts.listTokens('ada')) {
        expect(token).toMatchObject({ scopes: ['all'], groupGuids: undefined, expiresAt: undefined })
      }
      const own = (await records.accounts.actorByToken('own'))?.actor
      if (!own) throw new Error('the token is not known any more')
      for (const scope of scopeNames) requireScope(own, neededSet(scope), scope)
      expect(own.isLimitedToGroups).toBeUndefined()
      expect((await records.accounts.actorByToken('through'))?.actor.clientId).toBe('app1')
      await records.close()
      await database.remove()
    })
  })
}
