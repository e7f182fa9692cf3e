import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { ImageStore } from '../images/image-store.js'
import type { LinkStore } from '../links/link-store.js'
import type { PrivacyStore } from '../privacy/privacy-store.js'
import { randomHash } from '../values/random.js'
import { changeActions, exportActions, type RowOutcome } from './job.js'
import type { BulkJobStore, NewJob } from './job-store.js'

type Stores = {
  readonly bulkJobs: BulkJobStore
  readonly images: ImageStore
  readonly links: LinkStore
  readonly privacy: PrivacyStore
} & Closable

/** What a `BulkJobStore` promises. */
export function jobStoreContract(open: () => Promise<Stores>): void {
  describe('BulkJobStore', () => {
    const stores = storesOfEachTest(open)

    let numbers = 0
    async function add(changes: Partial<NewJob> = {}, most = 20): Promise<string> {
      const guid = `J${(numbers++).toString().padStart(10, '0')}`
      const parts = changes.parts ?? [0, 1].map((part) => `${'a'.repeat(64)}-${guid.slice(2)}${part}`.slice(0, 75))
      for (const key of parts) await stores.images.addUnusedBlob(key, 1000)
      const outcome = await stores.bulkJobs.add(
        {
          guid,
          organizationGuid: 'O1',
          groupGuid: 'B1',
          action: 'create',
          domain: undefined,
          strict: true,
          name: 'links.csv',
          size: 5,
          parts,
          createdBy: 'ada',
          clientId: undefined,
          isLimitedToGroups: false,
          createdAt: numbers,
          ...changes,
        },
        most,
      )
      expect(outcome).toBe('added')
      return guid
    }
    const lease = (holder: string, now = 1000) => ({ holder, now, until: now + 100 })
    const rows = (...kinds: readonly RowOutcome['kind'][]): readonly RowOutcome[] =>
      kinds.map((kind) => ({ kind, link: 'l', note: 'n', error: kind === 'refused' ? 'e' : '' }))
    const newLink = (n: number) => ({
      groupGuid: 'B1',
      organizationGuid: 'O1',
      domain: 'sho.rt',
      longUrl: `https://example.com/${n}`,
      createdBy: 'ada',
      clientId: undefined,
      isLimitedToGroups: false,
      at: 1,
    })

    it('reads a job back, and lists the jobs of a group newest first', async () => {
      const first = await add()
      const second = await add({ domain: 'go.example.com', strict: false, clientId: 'c', action: 'edit' })
      await add({ groupGuid: 'B2' })
      expect(await stores.bulkJobs.find(second)).toMatchObject({
        state: 'waiting',
        domain: 'go.example.com',
        strict: false,
        action: 'edit',
        rowsTotal: undefined,
        rowsDone: 0,
        counts: { created: 0, changed: 0, refused: 0 },
      })
      const page = await stores.bulkJobs.page({ groupGuid: 'B1', actions: changeActions, after: undefined, size: 10 })
      expect(page.map(({ guid }) => guid)).toEqual([second, first])
      const next = await stores.bulkJobs.page({ groupGuid: 'B1', actions: changeActions, after: page[0], size: 10 })
      expect(next.map(({ guid }) => guid)).toEqual([first])
      expect(await stores.bulkJobs.find('J-unknown')).toBeUndefined()
    })

    it('keeps the blobs of a job while it exists', async () => {
      const guid = await add()
      expect(await stores.images.unusedBlobs(5000)).toEqual([])
      const parts = (await stores.bulkJobs.find(guid))?.parts ?? []
      expect(await stores.bulkJobs.remove(guid, 2000)).toBe('removed')
      expect([...(await stores.images.unusedBlobs(5000))].sort()).toEqual([...parts].sort())
      expect(await stores.bulkJobs.remove(guid, 2000)).toBe('missing')
    })

    it('refuses a job whose blobs are gone, and one too many', async () => {
      await add()
      const job = { ...(await stores.bulkJobs.find(await add())), guid: 'Jother', createdAt: 5 } as NewJob
      expect(await stores.bulkJobs.add(job, 20)).toBe('no-blob')
      expect(await stores.bulkJobs.add({ ...job, parts: [] }, 2)).toBe('too-many')
    })

    it('gives racing workers one job of an organization at a time, the oldest first', async () => {
      const [first, second] = [await add(), await add()]
      const other = await add({ organizationGuid: 'O2' })
      const claimed = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => stores.bulkJobs.claim(lease(holder))))
      expect(claimed.flatMap((job) => (job ? [job.guid] : [])).sort()).toEqual([first, other].sort())
      expect(claimed.filter((job) => job?.state === 'running' && job.startedAt === 1000)).toHaveLength(2)
      const at = claimed.findIndex((job) => job?.guid === first)
      const holder = ['a', 'b', 'c', 'd'][at] ?? ''
      expect(await stores.bulkJobs.finish(first, 'somebody else', { state: 'done', error: undefined, at: 5 })).toBe(
        false,
      )
      expect(await stores.bulkJobs.finish(first, holder, { state: 'done', error: undefined, at: 5 })).toBe(true)
      expect(await stores.bulkJobs.find(first)).toMatchObject({ state: 'done', finishedAt: 5 })
      expect((await stores.bulkJobs.claim(lease('e')))?.guid).toBe(second)
    })

    it('gives a job to another worker when its lease has ended, and to the same one again', async () => {
      const guid = await add()
      await stores.bulkJobs.claim(lease('a'))
      expect(await stores.bulkJobs.claim(lease('b', 1099))).toBeUndefined()
      expect((await stores.bulkJobs.claim(lease('a', 1099)))?.guid).toBe(guid)
      expect(await stores.bulkJobs.setTotal(guid, lease('a', 1150), 7)).toBe(true)
      expect(await stores.bulkJobs.claim(lease('b', 1249))).toBeUndefined()
      expect((await stores.bulkJobs.claim(lease('b', 1250)))?.rowsTotal).toBe(7)
      expect(await stores.bulkJobs.setTotal(guid, lease('a', 1300), 8)).toBe(false)
      await stores.bulkJobs.releaseAll()
      expect((await stores.bulkJobs.claim(lease('c', 1251)))?.guid).toBe(guid)
    })

    it('writes links, outcomes and progress of a batch together, or none of them', async () => {
      const guid = await add()
      await stores.bulkJobs.claim(lease('a'))
      const work = async () => {
        await stores.links.createAll(
          [
            { draft: newLink(1), details: undefined },
            { draft: newLink(2), details: undefined },
          ],
          randomHash,
        )
        return rows('created', 'created', 'refused')
      }
      expect(await stores.bulkJobs.runBatch(guid, lease('a'), 0, work)).toBe(true)
      expect(await stores.bulkJobs.find(guid)).toMatchObject({
        rowsDone: 3,
        counts: { created: 2, changed: 0, refused: 1 },
      })
      expect(await stores.bulkJobs.outcomes(guid, 0)).toEqual({
        first: 0,
        outcomes: rows('created', 'created', 'refused'),
      })
      expect(await stores.bulkJobs.outcomes(guid, 3)).toBeUndefined()
      const failing = async () => {
        await stores.links.createAll(
          [
            { draft: newLink(3), details: undefined },
            { draft: newLink(4), details: undefined },
          ],
          randomHash,
        )
        throw new Error('power cut')
      }
      await expect(stores.bulkJobs.runBatch(guid, lease('a'), 3, failing)).rejects.toThrow('power cut')
      expect(await stores.links.findByLongUrl('B1', 'sho.rt', 'https://example.com/3')).toBeUndefined()
      expect(await stores.bulkJobs.find(guid)).toMatchObject({ rowsDone: 3 })
      // A batch without any write of its own.
      expect(await stores.bulkJobs.runBatch(guid, lease('a'), 3, async () => rows('changed'))).toBe(true)
      expect(await stores.bulkJobs.find(guid)).toMatchObject({
        rowsDone: 4,
        counts: { created: 2, changed: 1, refused: 1 },
      })
    })

    it('has a gap where the outcomes of a batch were forgotten, and those after it', async () => {
      const guid = await add()
      await stores.bulkJobs.claim(lease('a'))
      const { link } = await stores.links.findOrInsert(newLink(1), randomHash)
      const named = rows('created', 'created').map((row) => ({ ...row, link: link.id }))
      await stores.bulkJobs.runBatch(guid, lease('a'), 0, async () => named)
      await stores.bulkJobs.runBatch(guid, lease('a'), 2, async () => rows('changed'))
      await stores.bulkJobs.runBatch(guid, lease('a'), 3, async () => named)
      await stores.bulkJobs.runBatch(guid, lease('a'), 5, async () => rows('refused'))
      await stores.privacy.forgetLink(link.id, { dryRun: false, at: 2000 })
      expect(await stores.bulkJobs.outcomes(guid, 0)).toEqual({ first: 2, outcomes: rows('changed') })
      expect(await stores.bulkJobs.outcomes(guid, 3)).toEqual({ first: 5, outcomes: rows('refused') })
      expect(await stores.bulkJobs.outcomes(guid, 6)).toBeUndefined()
    })

    it('lets one of two racing workers do a batch', async () => {
      const guid = await add()
      await stores.bulkJobs.claim(lease('a'))
      await stores.bulkJobs.claim(lease('b', 5000))
      const work = (n: number) => async () => {
        await stores.links.createAll(
          [
            { draft: newLink(n), details: undefined },
            { draft: newLink(n + 10), details: undefined },
          ],
          randomHash,
        )
        return rows('created', 'created')
      }
      const done = await Promise.all([
        stores.bulkJobs.runBatch(guid, lease('a', 5000), 0, work(1)),
        stores.bulkJobs.runBatch(guid, lease('b', 5000), 0, work(2)),
      ])
      expect(done).toEqual([false, true])
      expect(await stores.links.findByLongUrl('B1', 'sho.rt', 'https://example.com/1')).toBeUndefined()
      expect(await stores.bulkJobs.runBatch(guid, lease('b', 5000), 0, work(3))).toBe(false)
      const twice = await Promise.all([4, 5].map((n) => stores.bulkJobs.runBatch(guid, lease('b', 5000), 2, work(n))))
      expect(twice.sort()).toEqual([false, true])
      expect(await stores.bulkJobs.find(guid)).toMatchObject({ rowsDone: 4, counts: { created: 4 } })
    })

    const anExport = (changes: Partial<NewJob> = {}) =>
      add({ action: 'export_links', parts: [], size: 0, input: { header: 'id\n' }, ...changes })
    const aPart = async (key: string) => {
      await stores.images.addUnusedBlob(key, 1000)
      return { parts: [key], size: 10 }
    }

    it('writes a step, its place and its part of the file together, and ends the job with the last', async () => {
      const guid = await anExport()
      await stores.bulkJobs.claim(lease('a'))
      expect(await stores.bulkJobs.instructions(guid)).toEqual({ input: { header: 'id\n' }, place: undefined })
      const first = { rows: 2, place: { id: 'x' }, rowsTotal: 5, file: await aPart('part-1') }
      expect(await stores.bulkJobs.runStep(guid, lease('a'), 0, async () => first)).toBe(true)
      expect(await stores.bulkJobs.find(guid)).toMatchObject({ rowsTotal: 5, rowsDone: 2, size: 10, parts: ['part-1'] })
      expect(await stores.bulkJobs.instructions(guid)).toMatchObject({ place: { id: 'x' } })
      expect(await stores.images.unusedBlobs(5000)).toEqual([])
      // Once: another process did these rows.
      expect(await stores.bulkJobs.runStep(guid, lease('a'), 0, async () => first)).toBe(false)
      const last = { rows: 1, place: undefined, file: await aPart('part-2') }
      expect(await stores.bulkJobs.runStep(guid, lease('a'), 2, async () => last)).toBe(true)
      expect(await stores.bulkJobs.find(guid)).toMatchObject({
        state: 'done',
        rowsTotal: 3,
        rowsDone: 3,
        size: 20,
        parts: ['part-1', 'part-2'],
        finishedAt: 1000,
      })
      await stores.bulkJobs.remove(guid, 2000)
      expect([...(await stores.images.unusedBlobs(5000))].sort()).toEqual(['part-1', 'part-2'])
    })

    it('writes nothing of a step that fails, or whose part of the file is gone', async () => {
      const guid = await anExport()
      await stores.bulkJobs.claim(lease('a'))
      const gone = async () => ({ rows: 2, place: 'x', file: { parts: ['gone'], size: 10 } })
      await expect(stores.bulkJobs.runStep(guid, lease('a'), 0, gone)).rejects.toThrow('part of an export')
      expect(await stores.bulkJobs.find(guid)).toMatchObject({ state: 'running', rowsDone: 0, parts: [] })
      expect(await stores.bulkJobs.instructions(guid)).toMatchObject({ place: undefined })
    })

    it('does not let exports wait for other jobs, nor other jobs for exports', async () => {
      const [job, made, next] = [await add(), await anExport(), await anExport()]
      const claimed = await Promise.all(['a', 'b', 'c'].map((holder) => stores.bulkJobs.claim(lease(holder))))
      expect(claimed.flatMap((each) => each?.guid ?? []).sort()).toEqual([job, made].sort())
      await stores.bulkJobs.cancel(made, 5)
      expect((await stores.bulkJobs.claim(lease('d')))?.guid).toBe(next)
      const page = await stores.bulkJobs.page({ groupGuid: 'B1', actions: exportActions, after: undefined, size: 10 })
      expect(page.map(({ guid }) => guid)).toEqual([next, made])
    })

    it('deletes exports of a group with a link that is forgotten, and those of links by a forgotten user', async () => {
      const clicks = await anExport({ action: 'export_clicks', organizationGuid: 'O2', groupGuid: 'B2' })
      const other = await anExport({ groupGuid: 'B3', organizationGuid: 'O3' })
      const { link } = await stores.links.findOrInsert({ ...newLink(1), createdBy: 'eve' }, randomHash)
      const made = await anExport()
      await stores.bulkJobs.claim(lease('a'))
      await stores.privacy.forgetUser('eve', { pseudonym: 'former-1', dryRun: false, at: 2000 })
      expect(await stores.bulkJobs.find(made)).toBeUndefined()
      const again = await anExport({ action: 'export_clicks' })
      await stores.privacy.forgetLink(link.id, { dryRun: false, at: 2000 })
      expect(await stores.bulkJobs.find(again)).toBeUndefined()
      expect(await stores.bulkJobs.find(clicks)).toBeDefined()
      expect(await stores.bulkJobs.find(other)).toBeDefined()
    })

    it('stops a job that is cancelled or deleted', async () => {
      const [first, second] = [await add(), await add({ organizationGuid: 'O2' })]
      await stores.bulkJobs.claim(lease('a'))
      await stores.bulkJobs.claim(lease('b'))
      expect(await stores.bulkJobs.cancel(first, 7)).toBe('cancelled')
      expect(await stores.bulkJobs.cancel(first, 8)).toBe('ended')
      expect(await stores.bulkJobs.cancel('Junknown', 8)).toBe('missing')
      expect(await stores.bulkJobs.runBatch(first, lease('a'), 0, async () => rows('created'))).toBe(false)
      expect(await stores.bulkJobs.find(first)).toMatchObject({ state: 'cancelled', finishedAt: 7, rowsDone: 0 })
      await stores.bulkJobs.remove(second, 7)
      expect(await stores.bulkJobs.runBatch(second, lease('b'), 0, async () => rows('created'))).toBe(false)
      expect(await stores.bulkJobs.outcomes(second, 0)).toBeUndefined()
      expect(await stores.bulkJobs.endedBefore(7, 10)).toEqual([])
      expect(await stores.bulkJobs.endedBefore(8, 10)).toEqual([first])
    })
  })
}
