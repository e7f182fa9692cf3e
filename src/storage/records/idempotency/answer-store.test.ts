import { describe, expect, it } from 'vitest'
import { databaseOfTest, defaultDomain, sqlEngines } from '../../../../test/support/sql-engines.js'
import { answerStoreContract } from '../../../core/idempotency/answer-store.contract.js'
import type { Records } from '../records.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    answerStoreContract(engine.open, defaultDomain)

    it('keeps the answer of one of several processes, and undoes the work of the others', async () => {
      const database = await databaseOfTest(engine)
      const processes: Records[] = []
      for (let opened = 0; opened < 3; opened += 1) processes.push(await database.connect())
      await processes[0]?.migrate()
      for (let round = 0; round < 10; round += 1) {
        const request = { id: `key ${round}`, fingerprint: 'print', at: 1000, since: 0 }
        const kept = await Promise.all(
          processes.map(({ answers, links }, at) =>
            answers.keep(request, async () => {
              const { link } = await links.findOrInsert(aDraft(round), () => `p${at}r${round}`)
              return { status: 201, body: link.hash }
            }),
          ),
        )
        expect(kept.filter(({ isNew }) => isNew)).toHaveLength(1)
        expect(new Set(kept.map(({ answer }) => answer?.body)).size).toBe(1)
        const made = await Promise.all(
          processes.map((_, at) => processes[0]?.links.get(`${defaultDomain}/p${at}r${round}`)),
        )
        expect(made.filter(Boolean).map((link) => link?.hash)).toEqual([kept[0]?.answer?.body])
      }
    })

    it('does not carry out a request again whose answer cannot be decrypted', async () => {
      const database = await databaseOfTest(engine)
      const [before, after] = [
        await database.connect(undefined, 'a'.repeat(32)),
        await database.connect(undefined, 'b'.repeat(32)),
      ]
      await before.migrate()
      const request = { id: 'one', fingerprint: 'print', at: 1000, since: 0 }
      await before.answers.keep(request, async () => ({ status: 201, body: 'first' }))
      const lost = { fingerprint: 'print', answer: undefined }
      expect(await after.answers.find('one', 0)).toEqual(lost)
      const kept = await after.answers.keep(request, async () => ({ status: 201, body: 'second' }))
      expect(kept).toEqual({ ...lost, isNew: false })
      expect((await before.answers.find('one', 0))?.answer?.body).toBe('first')
    })
  })
}

function aDraft(round: number) {
  const owner = { groupGuid: 'Bgroup00001', organizationGuid: 'Oorganization' }
  const longUrl = `https://example.com/${round}`
  return { ...owner, domain: defaultDomain, longUrl, createdBy: 'ada', clientId: undefined, at: 1_000, forceNew: true }
}
