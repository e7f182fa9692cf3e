import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import type { Records } from '../../storage/records/records.js'
import { defaultLimits, type RawRow, tableFromRows } from '../../storage/tables/table-from-rows.js'
import { firstStart } from '../administration/first-start.js'
import { type ExportStepDeps, exportSteps } from '../exports/export-jobs.js'
import { noDetails } from '../links/link.js'
import { aLinkDraft } from '../links/link-draft.builder.js'
import { Refusal } from '../values/refusal.js'
import type { RowOutcome } from './job.js'
import type { NewJob } from './job-store.js'
import { tagSteps } from './manage-tags.js'
import { BulkJobRunner, type RunJobsDeps, type StepAction } from './run-jobs.js'

let records: Records
let now: number
const clock = { now: () => now }
beforeEach(async () => {
  now = 1_000_000
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  records = await temporaryRecords()
  await firstStart({ ...records, clock }, { login: 'ada', password: undefined, token: undefined })
})
afterEach(async () => {
  vi.useRealTimers()
  await records.close()
})

const lease = (holder: string) => ({ holder, now, until: now + 15_000 })
const outcomes = (rows: readonly unknown[]): readonly RowOutcome[] =>
  rows.map(() => ({ kind: 'created', link: 'l', note: '', error: '' }))

async function aJob(changes: Partial<NewJob> = {}): Promise<string> {
  const user = await records.accounts.actorByLogin('ada')
  const group = { organizationGuid: user?.groups[0]?.organizationGuid ?? '', groupGuid: user?.defaultGroupGuid ?? '' }
  const file = { name: '', size: 1, parts: [], action: 'create', domain: undefined, strict: false } as const
  const job = {
    guid: 'J0000000001',
    ...group,
    ...file,
    createdBy: 'ada',
    clientId: undefined,
    isLimitedToGroups: false,
    createdAt: now,
    ...changes,
  }
  expect(await records.bulkJobs.add(job, 1)).toBe('added')
  return job.guid
}

/** The header and each of the first `slow` rows take four seconds, after which another process looks for a job. */
function slowFile(rows: number, slow: number) {
  const lost: number[] = []
  async function fourSeconds(row: number): Promise<void> {
    now += 4000
    await vi.advanceTimersByTimeAsync(4000)
    if (await records.bulkJobs.claim(lease('other'))) lost.push(row)
  }
  async function* read(): AsyncGenerator<RawRow> {
    for (let times = 0; times < slow; times += 1) await fourSeconds(-1)
    yield { line: 1, values: ['long_url'] }
    for (let row = 0; row < rows; row += 1) {
      if (row < slow) await fourSeconds(row)
      yield { line: row + 2, values: ['x'] }
    }
  }
  return { lost, open: () => tableFromRows(read(), 'CSV', defaultLimits) }
}

function aRunner(deps: Partial<RunJobsDeps>): BulkJobRunner {
  const unusedBlobs = { deleteDue: async () => {} }
  return new BulkJobRunner({ ...records, clock, unusedBlobs, holder: 'we', ...deps } as RunJobsDeps)
}

async function run(
  guid: string,
  open: RunJobsDeps['jobFiles']['open'],
  prepare: StepAction['prepare'] = () => Promise.reject(new Error('no step')),
  end = 'done',
): Promise<readonly number[]> {
  const done: number[] = []
  const failures: unknown[] = []
  const action = {
    required: [],
    run: async (_actor: unknown, _job: unknown, rows: readonly { line: number }[]) => {
      done.push(...rows.map(({ line }) => line))
      return outcomes(rows)
    },
  }
  const step = { prepare }
  const runner = aRunner({
    jobFiles: {
      open,
      read: async function* () {},
      write: () => Promise.reject(new Error('no file is sent')),
    },
    actions: {
      ...{ create: action, edit: action, delete: action },
      ...{ rename_tag: step, delete_tag: step, export_links: step, export_clicks: step },
    },
    onFailure: (error) => failures.push(error),
  })
  runner.start()
  try {
    await expect.poll(async () => (await records.bulkJobs.find(guid))?.state).toBe(end)
  } finally {
    await runner.close()
  }
  expect(failures).toEqual([])
  return done
}

it('keeps a job while it opens a file and counts its rows', async () => {
  const guid = await aJob()
  const { lost, open } = slowFile(10, 10)
  let files = 0
  await run(guid, () => (files++ === 0 ? open() : slowFile(10, 0).open()))
  expect(lost).toEqual([])
})

it('keeps a job while it skips the rows that are done, and does the others', async () => {
  const guid = await aJob()
  await records.bulkJobs.claim(lease('before'))
  await records.bulkJobs.setTotal(guid, lease('before'), 13)
  await records.bulkJobs.runBatch(guid, lease('before'), 0, async () => outcomes(Array(10)))
  await records.bulkJobs.releaseAll()
  const { lost, open } = slowFile(13, 10)
  expect(await run(guid, open)).toEqual([12, 13, 14])
  expect(lost).toEqual([])
})

const noFile: RunJobsDeps['jobFiles']['open'] = () => Promise.reject(new Error('there is no file'))

it('goes on with a job in steps where it was interrupted', async () => {
  const guid = await aJob({ action: 'export_links', input: { size: 2 } })
  await records.bulkJobs.claim(lease('before'))
  await records.bulkJobs.runStep(guid, lease('before'), 0, async () => ({ rows: 2, place: 2 }))
  await records.bulkJobs.releaseAll()
  const begun: unknown[] = []
  await run(guid, noFile, async (_actor, { rowsDone }, { input, place }) => {
    begun.push([input, place, rowsDone])
    return async () => ({ rows: 2, place: place === 6 ? undefined : Number(place) + 2 })
  })
  expect(begun).toEqual([2, 4, 6].map((place) => [{ size: 2 }, place, place]))
  expect(await records.bulkJobs.find(guid)).toMatchObject({ rowsDone: 8, rowsTotal: 8 })
})

it('ends an export at a million rows, however many steps it had', async () => {
  const asked: number[] = []
  const links = {
    page: async ({ size }: { size: number }) => {
      asked.push(size)
      return { items: Array.from({ length: size }, (_, row) => ({ id: `l${row}`, createdAt: now })), more: true }
    },
  }
  const stored = async () => ({ parts: [], size: 0 })
  const deps = {
    links,
    jobFiles: { write: stored },
    plans: { of: () => ({ features: new Set(['exports']) }) },
    linkLine: () => '',
  }
  const { export_links } = exportSteps(deps as unknown as ExportStepDeps)
  const guid = await aJob({ action: 'export_links', input: { header: '', filter: {} } })
  const place = { createdAt: now, id: 'l' }
  await run(guid, noFile, async (...step) => {
    const isFirst = step[2].place === undefined
    return isFirst ? async () => ({ rows: 999_400, place }) : export_links.prepare(...step)
  })
  expect(asked).toEqual([500, 100])
  expect(await records.bulkJobs.find(guid)).toMatchObject({ state: 'done', rowsDone: 1_000_000 })
})

describe('a job that renames a tag', () => {
  const by = () => ({ login: 'ada', at: now })
  async function aTagJob() {
    const guid = await aJob({ action: 'rename_tag', input: { tag: 'a', change: { name: 'b' } } })
    const { groupGuid = '', organizationGuid = '' } = (await records.bulkJobs.find(guid)) ?? {}
    let made = 0
    const aLink = async (...tags: string[]) => {
      made += 1
      const draft = aLinkDraft({ groupGuid, organizationGuid, longUrl: `https://example.com/${made}` })
      await records.links.create(draft, { ...noDetails, tags }, () => `h${made}`)
    }
    await aLink('a')
    await aLink('a')
    const work = (end?: string) => run(guid, noFile, tagSteps({ ...records, clock }).rename_tag.prepare, end)
    const tags = async () => (await records.tags.list(groupGuid)).map(({ name, links }) => [name, links])
    return { guid, groupGuid, aLink, work, tags }
  }

  it('fails when another tag has the name meanwhile, and changes nothing', async () => {
    const { guid, aLink, work, tags } = await aTagJob()
    await aLink('b')
    await work('failed')
    expect((await records.bulkJobs.find(guid))?.error).toContain('already has a tag')
    expect(await tags()).toEqual([
      ['a', 2],
      ['b', 1],
    ])
  })

  it('begins again after a first step that was not finished', async () => {
    const { guid, work, tags } = await aTagJob()
    await records.bulkJobs.claim(lease('before'))
    const killed = async () => {
      const { groupGuid = '' } = (await records.bulkJobs.find(guid)) ?? {}
      await records.tags.replaceSome(groupGuid, 'a', { name: 'b' }, 1, by())
      throw new Error('killed')
    }
    await expect(records.bulkJobs.runStep(guid, lease('before'), 0, killed)).rejects.toThrow('killed')
    await records.bulkJobs.releaseAll()
    await work()
    expect(await tags()).toEqual([['b', 2]])
  })

  it('goes on after its first step, which gave the name to some', async () => {
    const { guid, groupGuid, work, tags } = await aTagJob()
    await records.bulkJobs.claim(lease('before'))
    await records.bulkJobs.runStep(guid, lease('before'), 0, async () => {
      await records.tags.replaceSome(groupGuid, 'a', { name: 'b' }, 1, by())
      return { rows: 1, place: 'more' }
    })
    await records.bulkJobs.releaseAll()
    await work()
    expect(await tags()).toEqual([['b', 2]])
  })
})

it('deletes all jobs that ended a week ago at once, and then the files that nothing uses', async () => {
  for (let number = 0; number < 205; number += 1) {
    const guid = await aJob({ guid: `J0000000${String(number).padStart(3, '0')}` })
    await records.bulkJobs.cancel(guid, now)
  }
  now += 8 * 86_400_000
  const left: number[] = []
  const countLeft = async () => void left.push((await records.bulkJobs.endedBefore(now, 300)).length)
  const runner = aRunner({ unusedBlobs: { deleteDue: countLeft } })
  runner.start()
  try {
    await expect.poll(() => left).toEqual([0])
  } finally {
    await runner.close()
  }
})

it('ends a job whose step is refused, with the reason', async () => {
  const guid = await aJob({ action: 'export_links' })
  const refusal = new Refusal('FORBIDDEN', 'You do not have access to this group.')
  await run(guid, noFile, () => Promise.reject(refusal), 'failed')
  expect((await records.bulkJobs.find(guid))?.error).toBe('You do not have access to this group.')
})
