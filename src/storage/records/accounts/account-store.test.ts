import { describe, expect, it } from 'vitest'
import { databaseOfTest, recordsOfTest, sqlEngines } from '../../../../test/support/sql-engines.js'
import { accountStoreContract } from '../../../core/accounts/account-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => accountStoreContract(engine.open))

  describe.skipIf(engine.skip)(`${engine.title}, beyond the contract`, () => {
    it('reaches active groups only, and administrator of the organization wins over other roles', async () => {
      const { database, records } = await recordsOfTest(engine)
      await database.run(`
        insert into organizations (guid, name, created_at, modified_at, is_active) values
          ('Omine', 'o', 1, 1, 1), ('Oyours', 'o', 1, 1, 1), ('Oclosed', 'o', 1, 1, 0);
        insert into groups (guid, organization_guid, name, created_at, modified_at, is_active) values
          ('Bone', 'Omine', 'g', 1, 1, 1), ('Btwo', 'Omine', 'g', 1, 1, 1), ('Bclosed', 'Omine', 'g', 1, 1, 0),
          ('Bled', 'Oyours', 'g', 1, 1, 1), ('Bjoined', 'Oyours', 'g', 1, 1, 1), ('Bread', 'Oyours', 'g', 1, 1, 1),
          ('Bforeign', 'Oyours', 'g', 1, 1, 1), ('Bgone', 'Oclosed', 'g', 1, 1, 1);
        insert into users (login, name, password_hash, default_group_guid, created_at, modified_at, is_active) values
          ('ada', 'Ada', 'x', 'Bone', 1, 1, 1), ('bob', 'Bob', 'x', 'Bone', 1, 1, 0);
        insert into organization_members (organization_guid, login, role) values
          ('Omine', 'ada', 'admin'), ('Oyours', 'ada', 'member'), ('Oclosed', 'ada', 'admin'), ('Omine', 'bob', 'admin');
        insert into group_members (group_guid, login, role) values
          ('Bone', 'ada', 'reader'), ('Bclosed', 'ada', 'admin'), ('Bled', 'ada', 'admin'), ('Bjoined', 'ada', 'member'),
          ('Bread', 'ada', 'reader'), ('Bgone', 'ada', 'member');
        insert into tokens (guid, secret_hash, hint, login, client_id, label, created_at) values
          ('Tada', 'ada', 'h', 'ada', 'app', 'l', 1), ('Tbob', 'bob', 'h', 'bob', null, 'l', 1)`)

      const actor = (await records.accounts.actorByToken('ada'))?.actor
      expect(actor?.clientId).toBe('app')
      expect(Object.fromEntries(actor?.groups.map((group) => [group.groupGuid, group.role]) ?? [])).toEqual({
        Bone: 'org-admin',
        Btwo: 'org-admin',
        Bled: 'group-admin',
        Bjoined: 'member',
        Bread: 'reader',
      })
      expect(await records.accounts.actorByToken('bob')).toBeUndefined()
    })

    it('creates one first account when several processes start at once', async () => {
      const { connect } = await databaseOfTest(engine)
      const processes = [await connect(), await connect(), await connect()]
      await processes[0]?.migrate()
      const answers = await Promise.all(
        processes.map(({ accounts }, index) =>
          accounts.bootstrap({
            organization: { guid: `O${index}`, name: 'o' },
            group: { guid: `B${index}`, name: 'g' },
            user: { login: `admin${index}`, passwordHash: 'x' },
            token: { guid: `T${index}`, secretHash: `hash ${index}`, hint: 'h', label: 'l' },
            at: 1,
          }),
        ),
      )
      expect(answers.filter((created) => created)).toHaveLength(1)
      expect(await processes[0]?.accounts.listTokens(undefined)).toHaveLength(1)
    })
  })
}
