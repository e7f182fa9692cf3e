import { expect, it } from 'vitest'
import type { BackupManifest } from './manifest.js'
import { BackupSchedule, type ScheduleRules } from './schedule.js'

const minute = 60_000
const hour = 60 * minute

/** Lets the time pass and returns the names of the backups. Each takes two seconds. */
async function backupsIn(time: number, rules: Omit<ScheduleRules, 'keep'>, found: readonly string[] = []) {
  let now = Date.parse('2026-11-16T01:02:03.450Z')
  const end = now + time
  const made = found.map((name) => ({ name, finishedAt: 0 }))
  const schedule = new BackupSchedule(
    {
      backups: {
        list: async () => made,
        async make(name) {
          now += 2000
          made.push({ name, finishedAt: now })
          // The schedule reads no more of it.
          return { finished_at: new Date(now).toISOString(), counts: { clicks: 0 } } as BackupManifest
        },
        remove: async () => {},
        removeUnfinished: async () => {},
      },
      alone: (work) => work(),
      onDone: () => {},
      onFailure: (error) => expect.unreachable(String(error)),
      audit: { add: async () => {}, transact: () => expect.unreachable() },
      clock: { now: () => now },
    },
    { ...rules, keep: 1000 },
  )
  for (; now <= end; now += schedule.untilNext) await schedule.check()
  return made.map(({ name }) => name.slice('2026-11-'.length))
}

it('begins one every minute, however long each takes', async () => {
  const names = await backupsIn(4 * minute, { every: minute })
  expect(names).toEqual(['16T010203Z', '16T010303Z', '16T010403Z', '16T010503Z', '16T010603Z'])
})

it('does not drift', async () => {
  const names = await backupsIn(300 * hour, { every: hour })
  expect(names).toHaveLength(301)
  expect(names.at(-1)).toBe('28T130203Z')
})

it('begins one at a time of day, after a first one at once', async () => {
  const names = await backupsIn(48 * hour, { every: 24 * hour, at: 3 * hour + 15 * minute })
  expect(names).toEqual(['16T010203Z', '16T031500Z', '17T031500Z'])
})

it('begins others at multiples of the interval from that time', async () => {
  const names = await backupsIn(24 * hour, { every: 6 * hour, at: 9 * hour + 15 * minute }, ['2026-11-15T211500Z'])
  expect(names).toEqual(['15T211500Z', '16T031500Z', '16T091500Z', '16T151500Z', '16T211500Z'])
})

it('makes up for one that was missed', async () => {
  const rules = { every: 24 * hour, at: 0 }
  expect(await backupsIn(minute, rules, ['2026-11-15T000000Z'])).toEqual(['15T000000Z', '16T010203Z'])
})
