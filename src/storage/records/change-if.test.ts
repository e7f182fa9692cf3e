import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultDomain, sqlEngines } from '../../../test/support/sql-engines.js'
import { Closing } from '../../lib/closing.js'
import type { Records } from './records.js'

const owner = { groupGuid: 'Bgroup00001', organizationGuid: 'Oorganization' }
const context = { login: 'ada', at: 2000 }

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(`changeIf on ${engine.title}`, () => {
    let closing: Closing
    let processes: readonly [Records, Records, Records]
    beforeEach(async () => {
      closing = new Closing()
      const database = await engine.create()
      closing.add({ close: () => database.remove() })
      const connect = async () => closing.add(await database.connect())
      processes = [await connect(), await connect(), await connect()]
      await processes[0].migrate()
    })
    afterEach(() => closing.close())

    let links = 0
    async function aLink(): Promise<string> {
      const hash = `link${links++}`
      const draft = {
        ...owner,
        domain: defaultDomain,
        longUrl: `https://example.com/${hash}`,
        createdBy: 'ada',
        at: 1000,
      }
      return (await processes[0].links.findOrInsert({ ...draft, clientId: undefined }, () => hash)).link.id
    }
    const titleOf = async (id: string, records: Records = processes[0]) => (await records.links.get(id))?.title
    const retitle = (records: Records, id: string, title: string) => records.links.update(id, { title }, context)
    const requireUntitled = (records: Records, id: string) => async () => {
      if ((await titleOf(id, records)) !== undefined) throw new Error('changed')
    }

    it('writes nothing if the check throws, whatever the work does', async () => {
      const id = await aLink()
      const refuse = async () => {
        throw new Error('no')
      }
      await expect(processes[0].changeIf(refuse, () => retitle(processes[0], id, 'Mine'))).rejects.toThrow('no')
      await expect(processes[0].changeIf(refuse, async () => 'nothing to write')).rejects.toThrow('no')
      expect(await titleOf(id)).toBeUndefined()
    })

    it('reads through stores in the check, and returns what the work returns', async () => {
      const id = await aLink()
      const check = requireUntitled(processes[0], id)
      expect(await processes[0].changeIf(check, async () => 'read only')).toBe('read only')
      await processes[0].changeIf(check, () => retitle(processes[0], id, 'Mine'))
      expect(await titleOf(id)).toBe('Mine')
    })

    it('lets one of several processes make its change', async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = await aLink()
        const outcomes = await Promise.allSettled(
          processes.map((records, at) =>
            records.changeIf(requireUntitled(records, id), () => retitle(records, id, `Of ${at}`)),
          ),
        )
        const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        expect(await titleOf(id)).toBe(`Of ${winner}`)
      }
    })

    // SQLite has one writer: nobody can come between the check and the change.
    if (engine.name === 'sqlite') return

    it('checks again if another process changes it after the check', async () => {
      const id = await aLink()
      let checks = 0
      const [mine, other] = processes
      const check = async () => {
        checks += 1
        await requireUntitled(mine, id)()
        await retitle(other, id, 'Of another')
      }
      await expect(mine.changeIf(check, () => retitle(mine, id, 'Mine'))).rejects.toThrow('changed')
      expect([checks, await titleOf(id)]).toEqual([2, 'Of another'])
    })

    it('checks again if a later step loses the race', async () => {
      const [first, second] = [await aLink(), await aLink()]
      let checks = 0
      const [mine, other] = processes
      const check = async () => {
        checks += 1
        await requireUntitled(mine, second)()
      }
      const work = async () => {
        await retitle(mine, first, 'Mine')
        if (checks === 1) await retitle(other, second, 'Of another')
        await retitle(mine, second, 'Mine')
      }
      await expect(mine.changeIf(check, work)).rejects.toThrow('changed')
      expect([checks, await titleOf(first), await titleOf(second)]).toEqual([2, undefined, 'Of another'])
    })
  })
}
