/**
 * Transfers batches of clicks between threads: number columns are transferred without copying, and only new table
 * entries are sent. Unpack all batches in the order in which they were packed.
 */
import { type BatchColumn, type BatchTable, batchTables, type ClickBatch } from '../../core/clicks/click-batch.js'

export type ClickColumns = Omit<ClickBatch, BatchTable> & Readonly<Record<BatchTable, PackedColumn>>

interface PackedColumn {
  /** The table is a new one, and this is all of it. */
  readonly anew: boolean
  readonly fresh: readonly object[]
  readonly used: Uint32Array
}

/** The buffers to transfer. */
export function memoryOf({ at, visitorHash, totals, kinds, skippedRanges, ...columns }: ClickColumns): ArrayBuffer[] {
  const used = Object.values(columns).map((column) => column.used)
  return [at, visitorHash, totals, kinds, ...used].map(({ buffer }) => buffer as ArrayBuffer)
}

export class ClickPacker {
  readonly #tables = byTable(() => new TablePacker())

  /** The batch's columns are transferred with it. */
  pack(batch: ClickBatch): ClickColumns {
    return { ...batch, ...byTable((name) => this.#tables[name].pack(batch[name])) }
  }
}

function byTable<T>(make: (name: BatchTable) => T): Readonly<Record<BatchTable, T>> {
  return Object.fromEntries(batchTables.map((name) => [name, make(name)])) as Record<BatchTable, T>
}

class TablePacker {
  #table: readonly object[] | undefined
  #sent = 0

  pack({ table, used }: BatchColumn<object>): PackedColumn {
    const anew = table !== this.#table
    const fresh = table.slice(anew ? 0 : this.#sent)
    this.#table = table
    this.#sent = table.length
    return { anew, fresh, used }
  }
}

export class ClickUnpacker {
  readonly #tables = byTable(() => new TableUnpacker())

  unpack(columns: ClickColumns): ClickBatch {
    // The tables have the entries that were packed.
    return { ...columns, ...byTable((name) => this.#tables[name].unpack(columns[name])) } as ClickBatch
  }
}

class TableUnpacker {
  #table: object[] = []

  unpack({ anew, fresh, used }: PackedColumn): BatchColumn<object> {
    if (anew) this.#table = []
    for (const entry of fresh) this.#table.push(entry)
    return { table: this.#table, used }
  }
}
