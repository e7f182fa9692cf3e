import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../test/support/migrate-to.js'
import { sqlEngines } from '../../../../test/support/sql-engines.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('existing applications and their tokens stay as they are', async () => {
      const database = await engine.create()
      await migrateTo(engine, database, '0051-identities')
      await database.run(`
        insert into organizations (guid, name, created_at, modified_at) values ('O1', 'One', 1, 1);
        insert into groups (guid, organization_guid, name, created_at, modified_at) values ('B1', 'O1', 'One', 1, 1);
        insert into users (login, name, password_hash, default_group_guid, created_at, modified_at)
          values ('ada', 'Ada', 'x', 'B1', 1, 1);
        insert into applications (client_id, secret_hash, login, name, description, link, redirect_uris, require_pkce,
            created_at, revoked_at, answers_in, scopes)
          values ('app1', 's', 'ada', 'Reader', 'Reads', 'https://r.example/', '["r://back"]', 1, 2, null, 'word', '["qr"]'),
            ('app2', 's', 'ada', 'Former', '', '', '[]', 0, 3, 4, null, '["all"]');
        insert into tokens (guid, secret_hash, hint, login, client_id, label, created_at)
          values ('T1', 'through', 'h', 'ada', 'app1', '', 1)`)
      const records = await database.connect()
      await records.migrate()
      const reader = {
        clientId: 'app1',
        login: 'ada',
        name: 'Reader',
        description: 'Reads',
        link: 'https://r.example/',
      }
      const former = { clientId: 'app2', login: 'ada', name: 'Former', description: '', link: '' }
      expect(await records.applications.list('ada')).toEqual([
        {
          ...reader,
          ...{ redirectUris: ['r://back'], requirePkce: true, answersIn: 'word', scopes: ['qr'] },
          ...{ createdAt: 2, revokedAt: undefined },
        },
        {
          ...former,
          ...{
            redirectUris: [],
            requirePkce: false,
            answersIn: undefined,
            scopes: ['all'],
            createdAt: 3,
            revokedAt: 4,
          },
        },
      ])
      expect(await records.applications.client('app1')).toMatchObject({ secretHash: 's', isPublic: false })
      const { actor } = (await records.accounts.actorByToken('through')) ?? {}
      expect(actor).toMatchObject({ clientId: 'app1', answersIn: 'word' })
      expect(actor?.expiresAt).toBeUndefined()
      await records.close()
      await database.remove()
    })
  })
}
