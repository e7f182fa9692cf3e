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
      ...{ clickStore, clock },
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
