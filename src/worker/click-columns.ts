/**
 * Transfers batches of clicks between threads: number columns are transferred without copying, and only new table
 * entries are sent. Unpack all batches in the order in which they were packed.
 */
import type { BatchColumn, ClickBatch } from '../core/clicks/click-batch.js'

export type ClickColumns = Pick<ClickBatch, 'at' | 'visitorHash' | 'totals' | 'kinds' | 'passedOver'> & {
  readonly [Name in TableName]: PackedColumn<Entry<Name>>
}

type TableName = 'targets' | 'places' | 'agents' | 'referrers'
type Entry<Name extends TableName> = ClickBatch[Name]['table'][number]

interface PackedColumn<T extends object> {
  /** The table is a new one, and this is all of it. */
  readonly anew: boolean
  readonly fresh: readonly T[]
  readonly used: Uint32Array
}

/** The buffers to transfer. */
export function memoryOf({ at, visitorHash, totals, kinds, passedOver, ...columns }: ClickColumns): ArrayBuffer[] {
  const used = Object.values(columns).map((column) => column.used)
  return [at, visitorHash, totals, kinds, ...used].map(({ buffer }) => buffer as ArrayBuffer)
}

export class ClickPacker {
  readonly #targets = new TablePacker<Entry<'targets'>>()
  readonly #places = new TablePacker<Entry<'places'>>()
  readonly #agents = new TablePacker<Entry<'agents'>>()
  readonly #referrers = new TablePacker<Entry<'referrers'>>()

  /** The batch's columns are transferred with it. */
  pack({ targets, places, agents, referrers, ...batch }: ClickBatch): ClickColumns {
    return {
      ...batch,
      targets: this.#targets.pack(targets),
      places: this.#places.pack(places),
      agents: this.#agents.pack(agents),
      referrers: this.#referrers.pack(referrers),
    }
  }
}

class TablePacker<T extends object> {
  #table: readonly T[] | undefined
  #sent = 0

  pack({ table, used }: BatchColumn<T>): PackedColumn<T> {
    const anew = table !== this.#table
    const fresh = table.slice(anew ? 0 : this.#sent)
    this.#table = table
    this.#sent = table.length
    return { anew, fresh, used }
  }
}

export class ClickUnpacker {
  readonly #targets = new TableUnpacker<Entry<'targets'>>()
  readonly #places = new TableUnpacker<Entry<'places'>>()
  readonly #agents = new TableUnpacker<Entry<'agents'>>()
  readonly #referrers = new TableUnpacker<Entry<'referrers'>>()

  unpack({ targets, places, agents, referrers, ...columns }: ClickColumns): ClickBatch {
    return {
      ...columns,
      targets: this.#targets.unpack(targets),
      places: this.#places.unpack(places),
      agents: this.#agents.unpack(agents),
      referrers: this.#referrers.unpack(referrers),
    }
  }
}

class TableUnpacker<T extends object> {
  #table: T[] = []

  unpack({ anew, fresh, used }: PackedColumn<T>): BatchColumn<T> {
    if (anew) this.#table = []
    for (const entry of fresh) this.#table.push(entry)
    return { table: this.#table, used }
  }
}
