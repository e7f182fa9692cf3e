/**
 * Processes that share the records tell each other what waits in their journals. A process that does not come back is
 * reported by the others until its data directory is used again or the operator removes it: its clicks were answered,
 * and only its disk has them.
 */
import { PeriodicTask } from '../../lib/periodic-task.js'
import type { Clock } from '../values/time.js'
import type { ClickStore, JournalReport } from './click-store.js'

export interface JournalReportDeps {
  readonly clickStore: Pick<ClickStore, 'journals' | 'reportJournal' | 'removeJournal'>
  readonly clock: Clock
  /** Milliseconds without a report until a process counts as missing. */
  readonly missingAfter: number
  /** The present state of our own journal. */
  readonly own: () => Promise<Omit<JournalReport, 'seenAt'>>
  readonly onMissing: (report: JournalReport) => void
  readonly onFailure: (error: unknown) => void
}

export class JournalReports {
  readonly #deps: JournalReportDeps
  #refreshing: PeriodicTask | undefined
  /** When the reports of the others last changed, by our own clock: theirs may differ. */
  readonly #changes = new Map<string, { readonly seenAt: number; readonly at: number; readonly told: boolean }>()
  #missing: readonly JournalReport[] = []

  constructor(deps: JournalReportDeps) {
    this.#deps = deps
  }

  /** Journals of processes that did not come back. */
  get missing(): readonly JournalReport[] {
    return this.#missing
  }

  /** The first time when the journal is open. Never rejects. */
  async refresh(): Promise<void> {
    this.#refreshing ??= new PeriodicTask(this.#deps.missingAfter / 6, () => this.refresh())
    const { clickStore, clock, own, onFailure } = this.#deps
    try {
      const { journalId, ...rest } = await own()
      await clickStore.reportJournal({ journalId, ...rest, seenAt: clock.now() })
      const others = (await clickStore.journals()).filter((report) => report.journalId !== journalId)
      this.#missing = others.filter((report) => this.#isMissing(report))
    } catch (error) {
      this.#waitAgain()
      onFailure(error)
    }
  }

  /** Call it when the journal is closed and delivered. */
  async close(): Promise<void> {
    if (!this.#refreshing) return
    this.#refreshing.stop()
    const { clickStore, clock, own, onFailure } = this.#deps
    try {
      const report = await own()
      if (report.waitingRows === 0) await clickStore.removeJournal(report.journalId)
      else await clickStore.reportJournal({ ...report, seenAt: clock.now() })
    } catch (error) {
      onFailure(error)
    }
  }

  /** While the database is away nobody can report. */
  #waitAgain(): void {
    const at = this.#deps.clock.now()
    for (const [journalId, known] of this.#changes) if (!known.told) this.#changes.set(journalId, { ...known, at })
  }

  #isMissing(report: JournalReport): boolean {
    const { journalId, seenAt } = report
    const now = this.#deps.clock.now()
    const known = this.#changes.get(journalId)
    if (known?.seenAt !== seenAt) {
      this.#changes.set(journalId, { seenAt, at: now, told: false })
      return false
    }
    if (now - known.at < this.#deps.missingAfter) return false
    if (!known.told) this.#deps.onMissing(report)
    this.#changes.set(journalId, { ...known, told: true })
    return true
  }
}

/** For people. */
export function missingText({ journalId, place, waitingRows, waitingSince, seenAt }: JournalReport): string {
  const at = (time: number) => new Date(time).toISOString()
  const minutes = waitingSince === undefined ? 0 : Math.ceil((seenAt - waitingSince) / 60_000)
  const waiting =
    waitingRows === 0
      ? 'nothing waited in its journal'
      : `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of clicks, at most ${waitingRows} rows, were not delivered`
  return `${place} was last seen at ${at(seenAt)}; then ${waiting}. Clicks after that may be missing too. Start it again, deliver what its disk has with "shortlink journal deliver DIR", or accept the loss with "shortlink journal forget ${journalId}".`
}
