import { describe, expect, it } from 'vitest'
import { recordsOfTest, sqlEngines } from '../../../../test/support/sql-engines.js'
import { groupStoreContract } from '../../../core/accounts/group-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    groupStoreContract(engine.open)

    it('returns the tags in use in alphabetical order, separately by type', async () => {
      const { database, records } = await recordsOfTest(engine)
      await database.run(`insert into group_tags (group_guid, type, tag, uses) values
        ('B1', 'shortlink', 'b', 1), ('B1', 'shortlink', 'A', 2), ('B1', 'shortlink', 'C', 1), ('B1', 'shortlink', 'gone', 0),
        ('B1', 'qr_code', 'x', 1), ('B2', 'shortlink', 'other', 1)`)
      expect(await records.groups.tags('B1', 'shortlink')).toEqual(['A', 'b', 'C'])
      expect(await records.groups.tags('B1', 'qr_code')).toEqual(['x'])
    })
  })
}
