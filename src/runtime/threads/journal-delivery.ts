/**
 * Delivers the journal of a machine that is gone to the sinks of the click thread. Its cursors are those that it had as the
 * journal of a running service, so what is counted already is not counted again. Nothing is written into its folder.
 */
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { clickLogName, type Delivery, type DeliveryDeps } from '../../core/clicks/deliver.js'
import type { Deliveries } from '../../core/clicks/deliveries.js'
import type { JournalProgress } from '../../core/clicks/journal-delivery.js'
import { systemClock } from '../../core/values/time.js'
import { Closing } from '../../lib/closing.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import { journalFolder } from '../../storage/journal/folders.js'
import { openJournalReader } from '../../storage/journal/journal-reader.js'
import { knownJournalId, lastRowIn, segmentsIn } from '../../storage/journal/segments.js'
import type { Records } from '../../storage/records/records.js'
import { openRecords, type RecordsPlace } from '../stores/open-records.js'
import { holdImport } from './import-lease.js'

export interface JournalDeliveryDeps {
  readonly records: RecordsPlace
  /** Milliseconds after which a service that reports nothing is gone. */
  readonly missingAfter: number
  readonly deliveries: Pick<Deliveries, 'beside' | 'journalIds'>
  /** Sinks and pauses. */
  readonly delivery: Omit<DeliveryDeps, 'journal' | 'laggingJournal' | 'keepsJournal'>
  readonly onDamage: (damage: { readonly file: string; readonly reason: string }) => void
  readonly signal: AbortSignal
}

export class JournalDelivery {
  readonly #folder: string
  readonly #deps: JournalDeliveryDeps
  readonly ended: Promise<void>
  #isOver = false
  #problem: string | undefined
  #delivery: Delivery | undefined
  #from = 0
  #to = 0
  readonly #damagedFiles = new Set<string>()

  constructor(folder: string, deps: JournalDeliveryDeps) {
    this.#folder = folder
    this.#deps = deps
    this.ended = this.#run()
      .catch((error: unknown) => {
        this.#problem = messageOf(error)
      })
      .then(() => {
        this.#isOver = true
      })
  }

  get progress(): JournalProgress {
    const status = this.#delivery?.status()
    return {
      folder: this.#folder,
      state: !this.#isOver ? 'delivering' : this.#problem === undefined ? 'done' : 'failed',
      row: Math.max(this.#from, this.#delivery?.row ?? 0),
      from: this.#from,
      to: this.#to,
      clicks: Object.values(status?.delivered ?? {}).reduce((sum, clicks) => sum + clicks, 0),
      damagedRows: status?.damagedRows ?? 0,
      damagedFiles: [...this.#damagedFiles],
      problem: this.#problem,
    }
  }

  async #run(): Promise<void> {
    const { deliveries, delivery, signal, onDamage } = this.#deps
    const folder = this.#folder
    const segments = segmentsIn(folder)
    const last = segments.at(-1)
    const journalId = knownJournalId(folder)
    if (!last || journalId === undefined) throw new OperatorError(`${folder} has no journal that can be read.`)
    if (deliveries.journalIds.includes(journalId)) throw new OperatorError(`${folder} ${ownJournal}`)
    const closing = new Closing()
    try {
      const records = closing.add(await openRecords(this.#deps.records))
      const reportedAs = knownJournalId(journalFolder(dirname(folder))) ?? journalId
      await this.#requireGone(records, reportedAs)
      const claim = { path: folder, fileId: journalId, place: `${this.#deps.records.dataDir} on ${hostname()}` }
      const onLost = () => this.#fail('Another process delivers this journal now.')
      closing.add(await holdImport(records.clickStore.lease(journalId), claim, onLost))
      this.#to = lastRowIn(last)
      this.#from = Math.min(this.#to, Math.max(await delivery.log.cursor(journalId), (segments[0]?.firstRow ?? 1) - 1))
      const damaged = (damage: Parameters<typeof onDamage>[0]) => {
        this.#damagedFiles.add(damage.file)
        onDamage(damage)
      }
      const running = deliveries.beside({
        ...delivery,
        journal: closing.add(openJournalReader(folder, damaged, journalId)),
        laggingJournal: closing.add(openJournalReader(folder, undefined, journalId)),
        keepsJournal: true,
        onFailure: (error, retryIn, sink) => {
          if (sink === clickLogName) this.#fail(`The click log failed: ${messageOf(error)}.`)
          delivery.onFailure(error, retryIn, sink)
        },
      })
      this.#delivery = running
      const isStopped = () => signal.aborted || this.#problem !== undefined
      const behind = () => Object.entries(running.status().others).find(([, { row }]) => row < running.row)
      // It does not wait for a sink that is slower than the click log.
      for (let isBusy = true; isBusy && !isStopped(); await delivery.pause(isBusy ? 100 : 0)) {
        await running.run(() => ({ until: isStopped() ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY }))
        const [name, sink] = behind() ?? []
        isBusy = sink !== undefined && sink.lastFailure === undefined
        if (sink && !isBusy) this.#fail(`All is counted, but ${name} failed: ${sink.lastFailure}.`)
      }
      if (signal.aborted) this.#fail('The service was stopped.')
      if (this.#problem === undefined && reportedAs === journalId) await records.clickStore.removeJournal(journalId)
    } finally {
      await closing.close()
    }
  }

  #fail(reason: string): void {
    this.#problem ??= `${reason} Run the command again: it continues where it stopped, and counts nothing twice.`
  }

  /** Services that share the records report what waits in their journals. */
  async #requireGone({ clickStore }: Records, journalId: string): Promise<void> {
    const report = (await clickStore.journals()).find((each) => each.journalId === journalId)
    const seconds = report && Math.ceil((report.seenAt + this.#deps.missingAfter - systemClock.now()) / 1000)
    if (seconds === undefined || seconds <= 0) return
    throw new OperatorError(
      `The service of this journal (${report?.place}) was seen a moment ago, and delivers its clicks itself. ` +
        `If its machine is gone, run this again in ${seconds} seconds.`,
    )
  }
}

const ownJournal =
  'is a journal of this data directory, or a copy of one. Its clicks are delivered by the service; start it instead.'
