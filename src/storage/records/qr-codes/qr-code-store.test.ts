import { describe, expect, it } from 'vitest'
import { databaseOfTest, sqlEngines } from '../../../../test/support/sql-engines.js'
import type { QrCodeDraft } from '../../../core/qr-codes/qr-code.js'
import { qrCodeStoreContract } from '../../../core/qr-codes/qr-code-store.contract.js'
import { newGuid } from '../../../core/values/guid.js'
import { randomHash } from '../../../core/values/random.js'

function aDraft(longUrl: string): QrCodeDraft {
  const link = {
    groupGuid: 'B1',
    organizationGuid: 'O1',
    domain: 'sho.rt',
    createdBy: 'ada',
    clientId: undefined,
    at: Date.UTC(2026, 2, 1),
  }
  const none = { title: undefined, design: undefined, gs1: undefined }
  const details = { title: undefined, tags: [], expiresAt: undefined, deeplinks: [], routing: [], keyword: undefined }
  const destination = { link: { ...link, longUrl }, details }
  return {
    ...link,
    ...none,
    id: newGuid('qr-code'),
    imageId: newGuid('qr-image'),
    archived: false,
    tags: ['t'],
    destination,
  }
}

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => qrCodeStoreContract(engine.open))

  describe.skipIf(engine.skip)(`${engine.title}, past the contract`, () => {
    it('processes that make codes at once stay within the limit of the plan', async () => {
      const database = await databaseOfTest(engine)
      const allowances = { limitsOf: () => ({ qr_codes: 7 }) }
      const processes = [await database.connect(allowances), await database.connect(allowances)]
      await processes[0]?.migrate()
      const tries = Array.from({ length: 20 }, (_, each) =>
        processes[each % 2]?.qrCodes.create(aDraft(`https://example.com/${each}`), randomHash),
      )
      const settled = await Promise.allSettled(tries)
      const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
      expect(refused).toEqual(Array.from({ length: 13 }, () => 'MONTHLY_LIMIT_EXCEEDED'))
      const all = await processes[1]?.qrCodes.page({ groupGuid: 'B1', filter: {}, after: undefined, size: 100 })
      expect(all?.items).toHaveLength(7)
    })

    it('GS1 values of before they were verified stay, and add nothing to the printed address', async () => {
      const database = await databaseOfTest(engine)
      const { migrate, qrCodes } = await database.connect()
      await migrate()
      const draft = aDraft('https://example.com/')
      await qrCodes.create(draft, randomHash)
      await database.run(`update qr_codes set gs1 = '[{"key":"01","value":"7"}]'`)
      expect((await qrCodes.get(draft.id))?.gs1).toEqual({ values: [{ key: '01', value: '7' }], link: '' })
    })
  })
}
