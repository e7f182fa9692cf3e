/**
 * Whether a click log may be used, or is being filled or was left by "move". Stored like the position of a journal, which
 * only grows: odd numbers mean that the log is not to be used.
 */
import { OperatorError } from '../../lib/operator-error.js'
import type { ClickSink } from './click-log.js'

/** Not the id of any journal. */
export const moveJournal = 'move'

/** The log is being filled: what it has may be deleted, to begin anew. */
const arriving = 1

export async function isArriving(log: ClickSink): Promise<boolean> {
  return (await log.cursor(moveJournal)) === arriving
}

export async function beginArrival(log: ClickSink): Promise<void> {
  await set(log, arriving)
}

/** After a move to this log, or for its use after it was left. */
export async function allowUse(log: ClickSink): Promise<void> {
  const state = await log.cursor(moveJournal)
  if (!isUsable(state)) await set(log, state + 1)
}

export async function leave(log: ClickSink): Promise<void> {
  const state = await log.cursor(moveJournal)
  if (isUsable(state)) await set(log, Math.max(state, arriving + 1) + 1)
}

/** Refuses a log that has only a part of the clicks, or no longer gets them. */
export async function requireUsable(log: ClickSink): Promise<void> {
  const state = await log.cursor(moveJournal)
  if (isUsable(state)) return
  throw new OperatorError(
    state === arriving
      ? 'Clicks were being moved to this click log, and the move did not finish. Run "bin/shortlink move" again, or start the service with the former options.'
      : 'The clicks of this click log were moved to another one. Start the service with the options that "bin/shortlink move" printed. To go on here instead: "bin/shortlink move --cancel" (docs/operating.md).',
  )
}

function isUsable(state: number): boolean {
  return state % 2 === 0
}

async function set(log: ClickSink, state: number): Promise<void> {
  await log.append([], { journalId: moveJournal, row: state })
}
