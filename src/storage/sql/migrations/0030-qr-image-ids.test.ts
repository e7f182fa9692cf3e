import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../test/support/migrate-to.js'
import { sqlEngines } from '../../../../test/support/sql-engines.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('existing QR codes get an image id each', async () => {
      const database = await engine.create()
      await migrateTo(engine, database, '0026-group-time-zones')
      await database.run(`
        insert into links (id, domain, hash, group_guid, long_url, long_url_key, created_at, modified_at, created_by)
          values ('sho.rt/one', 'sho.rt', 'one', 'B1', 'https://example.com/', 'k', 1, 1, 'ada');
        insert into qr_codes (id, group_guid, link_id, address, created_by, created_at, modified_at)
          values ('Q1', 'B1', 'sho.rt/one', 'sho.rt/one', 'ada', 1, 1),
            ('Q2', 'B1', 'sho.rt/one', 'sho.rt/one', 'ada', 1, 1)`)
      const records = await database.connect()
      await records.migrate()
      const codes = [await records.qrCodes.get('Q1'), await records.qrCodes.get('Q2')]
      for (const code of codes) {
        expect(code?.imageId).toMatch(/^P[0-9A-Za-z]{22}$/)
        expect(await records.qrCodes.byImageId(code?.imageId ?? '')).toEqual(code)
      }
      expect(codes[0]?.imageId).not.toBe(codes[1]?.imageId)
      await records.close()
      await database.remove()
    })
  })
}
