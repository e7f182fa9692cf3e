/**
 * Delivers several journals to the same sinks, each by itself and exactly once: every process that answers redirects
 * writes a journal of its own. The first one is that of the main process; often it is the only one.
 */
import { SerialQueue } from '../../lib/serial-queue.js'
import type { ClickSink } from './click-log.js'
import { Delivery, type DeliveryDeps, type DeliveryStatus, type SinkStatus } from './deliver.js'
import type { JournalPosition } from './journal.js'

type Stopping = Parameters<Delivery['run']>[0]

export class Deliveries {
  readonly #all: ReadonlyMap<string, Delivery>
  readonly #inTurn = new Map<ClickSink, ClickSink>()

  /** The first is that of the main process. Their sinks are the same. */
  constructor(journals: readonly DeliveryDeps[]) {
    this.#all = new Map(journals.map((deps) => [deps.journal.journalId, this.beside(deps)] as const))
  }

  /** Of another journal to the same sinks. It is not run here, and not in the figures. */
  beside(deps: DeliveryDeps): Delivery {
    const others = Object.entries(deps.others ?? {}).map(([name, sink]) => [name, this.#shared(sink)] as const)
    return new Delivery({ ...deps, log: this.#shared(deps.log), others: Object.fromEntries(others) })
  }

  get journalIds(): readonly string[] {
    return [...this.#all.keys()]
  }

  /** The last row of the journal that the click log has. */
  rowOf(journalId: string): number {
    return this.#all.get(journalId)?.row ?? 0
  }

  /** Of every journal. */
  positions(): readonly JournalPosition[] {
    return [...this.#all].map(([journalId, { row }]) => ({ journalId, row }))
  }

  status(): DeliveryStatus {
    const [own, ...others] = [...this.#all].map(([journalId, delivery]) => [journalId, delivery.status()] as const)
    if (own === undefined) throw new Error('there is no journal')
    return others.reduce<DeliveryStatus>((sum, [journalId, status]) => added(sum, journalId, status), own[1])
  }

  /** Adds a sink while running. It gets the clicks after its cursors. */
  add(name: string, sink: ClickSink): void {
    const shared = this.#shared(sink)
    for (const delivery of this.#all.values()) delivery.add(name, shared)
  }

  /** Runs until stopped, as `Delivery.run` does. The failure of one is told, and must stop the others. */
  async run(stopping: Stopping, onFailure: (error: unknown) => void): Promise<void> {
    await Promise.all([...this.#all.values()].map((delivery) => delivery.run(stopping).catch(onFailure)))
  }

  /** Sinks expect one append at a time. */
  #shared(sink: ClickSink): ClickSink {
    const known = this.#inTurn.get(sink)
    if (known) return known
    const queue = new SerialQueue()
    const shared: ClickSink = {
      cursor: (journalId) => sink.cursor(journalId),
      append: (clicks, upTo) => queue.run(() => sink.append(clicks, upTo)),
    }
    this.#inTurn.set(sink, shared)
    return shared
  }
}

/** The status of all journals: counters and the longest lag; the row stays that of the first. */
function added(sum: DeliveryStatus, journalId: string, status: DeliveryStatus): DeliveryStatus {
  const others = Object.entries(sum.others).map(([name, sink]) => {
    const other = status.others[name]
    return [name, other ? addedSink(sink, journalId, other) : sink] as const
  })
  const delivered = { ...sum.delivered }
  for (const each of Object.keys(delivered) as (keyof typeof delivered)[]) delivered[each] += status.delivered[each]
  return {
    ...sum,
    ...addedSink(sum, journalId, status),
    delivered,
    damagedRows: sum.damagedRows + status.damagedRows,
    damagedAt: Math.max(sum.damagedAt ?? 0, status.damagedAt ?? 0) || undefined,
    others: Object.fromEntries(others),
  }
}

function addedSink(sum: SinkStatus, journalId: string, sink: SinkStatus): SinkStatus {
  return {
    row: sum.row,
    otherRows: { ...sum.otherRows, [journalId]: sink.row },
    failures: sum.failures + sink.failures,
    lastFailure: sum.lastFailure ?? sink.lastFailure,
    lagMs: Math.max(sum.lagMs, sink.lagMs),
  }
}
