import { describe, expect, it } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { qrCodeStoreContract } from '../../../core/qr-codes/qr-code-store.contract.js'
import { newGuid } from '../../../core/values/guid.js'
import { randomHash } from '../../../core/values/random.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => qrCodeStoreContract(engine.open))

  describe.skipIf(engine.skip)(`${engine.title}, past the contract`, () => {
    it('processes that make codes at once stay within the limit of the plan', async () => {
      const database = await engine.create()
      const allowances = { limitsOf: () => ({ qr_codes: 7 }) }
      const processes = [await database.connect(allowances), await database.connect(allowances)]
      await processes[0]?.migrate()
      const link = {
        groupGuid: 'B1',
        organizationGuid: 'O1',
        domain: 'sho.rt',
        createdBy: 'ada',
        clientId: undefined,
        at: Date.UTC(2026, 2, 1),
      }
      const details = {
        title: undefined,
        tags: [],
        expiresAt: undefined,
        deeplinks: [],
        routing: [],
        keyword: undefined,
      }
      const tries = Array.from({ length: 20 }, (_, each) =>
        processes[each % 2]?.qrCodes.create(
          {
            ...link,
            id: newGuid('qr-code'),
            title: undefined,
            archived: false,
            tags: ['t'],
            design: undefined,
            gs1: [],
            destination: { link: { ...link, longUrl: `https://example.com/${each}` }, details },
          },
          randomHash,
        ),
      )
      const settled = await Promise.allSettled(tries)
      const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
      expect(refused).toEqual(Array.from({ length: 13 }, () => 'MONTHLY_LIMIT_EXCEEDED'))
      const all = await processes[1]?.qrCodes.page({ groupGuid: 'B1', filter: {}, after: undefined, size: 100 })
      expect(all?.codes).toHaveLength(7)
      for (const each of processes) await each.close()
      await database.remove()
    })
  })
}
