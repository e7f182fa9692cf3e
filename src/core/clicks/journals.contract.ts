import { expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { ClickStore } from './click-store.js'

/** What the journals of a `ClickStore` promise. */
export function journalsContract(open: () => Promise<{ readonly clickStore: ClickStore } & Closable>): void {
  it('keeps the last report of each journal until it is removed', async () => {
    const opened = await open()
    const { clickStore } = opened
    const report = { journalId: 'one', place: 'a:/data', waitingRows: 3, waitingSince: 1_800_000_000_000, seenAt: 5 }
    await clickStore.reportJournal({ ...report, waitingRows: 9 })
    await clickStore.reportJournal(report)
    const other = { ...report, journalId: 'two', waitingRows: 0, waitingSince: undefined }
    await clickStore.reportJournal(other)
    expect(await clickStore.journals()).toEqual([report, other])
    expect(await clickStore.removeJournal('one')).toBe(true)
    expect(await clickStore.removeJournal('one')).toBe(false)
    expect(await clickStore.journals()).toEqual([other])
    await opened.close()
  })
}
