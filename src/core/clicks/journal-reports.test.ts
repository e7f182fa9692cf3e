import { expect, it } from 'vitest'
import type { JournalReport } from './click-store.js'
import { JournalReports, missingText } from './journal-reports.js'

it('tells of a process that does not come back, until it does or is removed', async () => {
  const stored = new Map<string, JournalReport>()
  const clickStore = {
    journals: async () => [...stored.values()],
    reportJournal: async (report: JournalReport) => void stored.set(report.journalId, report),
    removeJournal: async (journalId: string) => stored.delete(journalId),
  }
  const clock = { at: 0, now: () => clock.at }
  const told: string[] = []
  const process = (journalId: string, state: { waitingRows: number }) =>
    new JournalReports({
      clickStore,
      clock,
      missingAfter: 60_000,
      own: async () => ({ journalId, place: `host-${journalId}:/data`, waitingSince: 0, ...state }),
      onMissing: (report) => told.push(report.journalId),
      onFailure: (error) => expect(error).toBeUndefined(),
    })
  const state = { waitingRows: 469 }
  const dead = process('dead', state)
  const alive = process('alive', { waitingRows: 0 })
  await dead.refresh()
  for (clock.at = 0; clock.at <= 70_000; clock.at += 10_000) await alive.refresh()
  expect(alive.missing.map(missingText)).toEqual([expect.stringMatching(/^host-dead:.* at most 469 rows, were not/)])
  expect(told).toEqual(['dead'])

  await dead.refresh()
  await alive.refresh()
  expect(alive.missing).toEqual([])
  state.waitingRows = 0
  await dead.close()
  await alive.refresh()
  expect([...stored.keys()]).toEqual(['alive'])
})

it('reports nothing before it is asked to, however long a start takes', async () => {
  const calls: string[] = []
  const call = (name: string) => async () => {
    calls.push(name)
    throw new Error('the journal is not open')
  }
  const reports = new JournalReports({
    clickStore: { journals: call('read'), reportJournal: call('report'), removeJournal: call('remove') },
    clock: { now: () => 0 },
    missingAfter: 6,
    own: call('own'),
    onMissing: () => {},
    onFailure: () => calls.push('failure'),
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  await reports.close()
  expect(calls).toEqual([])
})

it('does not tell of processes that could not report while the database was away', async () => {
  const report = { journalId: 'other', place: 'host:/data', waitingRows: 0, waitingSince: undefined, seenAt: 0 }
  let isAway = false
  const clickStore = {
    journals: async () => [report],
    reportJournal: async () => {
      if (isAway) throw new Error('away')
    },
    removeJournal: async () => true,
  }
  const clock = { at: 0, now: () => clock.at }
  const reports = new JournalReports({
    clickStore,
    clock,
    missingAfter: 60_000,
    own: async () => ({ ...report, journalId: 'own' }),
    onMissing: () => {},
    onFailure: () => {},
  })
  await reports.refresh()
  isAway = true
  for (; clock.at < 300_000; clock.at += 10_000) await reports.refresh()
  isAway = false
  await reports.refresh()
  expect(reports.missing).toEqual([])
  clock.at += 70_000
  await reports.refresh()
  expect(reports.missing).toEqual([report])
})
