/** Copies journals to a second folder (folder-copy.ts). Waiting for its disk stops nobody else. */
import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../lib/message-of.js'
import { FolderCopy } from '../../storage/journal/folder-copy.js'
import type { JournalCopyData, JournalCopyMethods, JournalCopyOwner } from './journal-copy.js'
import type { ThreadCalls } from './thread-calls.js'

/** Rows of this time are written together, unless visitors wait for it. */
const collectFor = 20
const idle = 1_000
const retryAfter = 1_000
const pruneEvery = 5_000

export function serve(data: JournalCopyData, owner: ThreadCalls<JournalCopyOwner>): JournalCopyMethods {
  const cells = new Int32Array(data.cells)
  const copied = data.copied.map(({ from, to }) => new FolderCopy(from, to))
  const pruned = [...copied, ...data.pruned.map(({ from, to }) => new FolderCopy(from, to))]
  let isClosing = false
  let prunedAt = Number.NEGATIVE_INFINITY
  /** Returns whether it worked. */
  const step = () => {
    const seen = Atomics.load(cells, 0)
    try {
      for (const folder of copied) folder.step()
      owner.tell('copied', [seen])
      if (performance.now() - prunedAt > pruneEvery || isClosing) {
        prunedAt = performance.now()
        for (const folder of pruned) folder.prune()
      }
      return seen
    } catch (error) {
      owner.tell('failed', [messageOf(error)])
      return undefined
    }
  }
  const running = (async () => {
    while (!isClosing) {
      const seen = step()
      await wait(seen === undefined ? retryAfter : data.waits ? 0 : collectFor)
      if (seen === undefined || isClosing) continue
      const { async, value } = Atomics.waitAsync(cells, 0, seen, idle)
      if (async) await value
    }
  })()
  return {
    async close() {
      isClosing = true
      Atomics.notify(cells, 0)
      await running
      step()
      for (const folder of pruned) folder.close()
    },
  }
}
