/**
 * Writes clicks as rows of small integers: replaces every text of a batch by its dictionary key and appends the rows,
 * within the caller's transaction. One pass over the clicks, because it runs for every click.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Click } from '../../core/clicks/click.js'
import type { BatchColumn, BatchTarget, ClickBatch } from '../../core/clicks/click-batch.js'
import { dimensionsOf, type Part, type TextsOf, trafficClasses, visitKinds } from '../../core/clicks/dimensions.js'
import type { Location } from '../../core/clicks/locate.js'
import type { Referrer } from '../../core/clicks/referrer.js'
import type { Agent } from '../../core/clicks/user-agent.js'
import { RecentMap } from '../../lib/recent-map.js'
import { type ColumnType, writeColumns } from './connection.js'
import { Addresses, addressIn, Descriptions, type Dictionary, Names } from './dictionary.js'

export async function openClickWriter(connection: DuckDBConnection): Promise<ClickWriter> {
  return new ClickWriter({
    addresses: await Addresses.open(connection, 'addresses', 250_000),
    groups: await Names.open(connection, 'groups', 10_000),
    destinations: await Names.open(connection, 'destinations', 250_000),
    places: await Descriptions.open<Location>(connection, 'places', fieldsOf('place'), 50_000),
    agents: await Descriptions.open<Agent>(connection, 'agents', fieldsOf('agent'), 5_000),
    referrers: await Descriptions.open<Referrer>(connection, 'referrers', fieldsOf('referrer'), 100_000),
  })
}

function fieldsOf<P extends Part>(part: P): readonly (keyof TextsOf<P>)[] {
  return dimensionsOf(part).map(({ name }) => name as keyof TextsOf<P>)
}

/** Numbers of codes, by their position. */
function numbersOf<Code extends string>(codes: readonly Code[]): Readonly<Record<Code, number>> {
  return Object.fromEntries(codes.map((code, number) => [code, number])) as Record<Code, number>
}

const kindNumber = numbersOf(visitKinds)
const trafficClassNumber = numbersOf(trafficClasses)

interface Dictionaries {
  readonly addresses: Addresses
  readonly groups: Names
  readonly destinations: Names
  readonly places: Descriptions<Location>
  readonly agents: Descriptions<Agent>
  readonly referrers: Descriptions<Referrer>
}

/** Keys of an address, its group and its destination. */
interface Target {
  readonly groupGuid: string
  readonly destination: string
  address: number
  group: number
  leads: number
}

/** The same for many clicks, as columns. */
interface TargetColumns {
  readonly addresses: Int32Array
  readonly groups: Int32Array
  readonly destinations: Int32Array
}

export class ClickWriter {
  readonly dictionaries: Dictionaries
  readonly #all: readonly Dictionary[]
  /** Cache by address: one lookup instead of three. */
  readonly #targets = new RecentMap<string, Target>(20_000)
  /** Keys per table of a batch; the next batch often reuses the same tables. */
  #keys = new WeakMap<readonly object[], Int32Array>()
  #batchTargets = new WeakMap<readonly object[], Target[]>()

  constructor(dictionaries: Dictionaries) {
    this.dictionaries = dictionaries
    this.#all = Object.values(dictionaries)
  }

  async write(connection: DuckDBConnection, clicks: readonly Click[]): Promise<void> {
    const { places, agents, referrers } = this.dictionaries
    const targets = await this.#targetsOf(connection, clicks)
    const rows = new Rows()
    let index = 0
    for (const click of clicks) {
      const target = targets[index++]
      if (!target) throw new Error('a click without a target')
      rows.at.push(BigInt(click.at))
      rows.address.push(target.address)
      rows.group.push(target.group)
      rows.destination.push(target.leads)
      rows.kind.push(kindNumber[click.kind])
      rows.trafficClass.push(trafficClassNumber[click.trafficClass])
      rows.place.push(places.key(click.place))
      rows.agent.push(agents.key(click.agent))
      rows.referrer.push(referrers.key(click.referrer))
      rows.visitor.push(click.visitorHash)
    }
    await writeColumns(connection, 'recent_clicks', clicks.length, columnTypes, Object.values(rows))
    for (const dictionary of this.#all) await dictionary.write(connection)
  }

  /** Writes a columnar batch: each table entry gets its key once, everything else is already numeric. */
  async writeBatch(connection: DuckDBConnection, batch: ClickBatch): Promise<void> {
    const { at, kinds, visitorHash, totals, ...columns } = batch
    const { places, agents, referrers } = this.dictionaries
    const targets = await this.#targetsIn(connection, columns.targets)
    const trafficClasses = new Uint8Array(at.length)
    for (let row = 0; row < at.length; row++) {
      trafficClasses[row] =
        trafficClassNumber[entryOf(columns.agents.table, columns.agents.used[row] ?? 0).trafficClass]
    }
    const facts = [
      at,
      targets.addresses,
      targets.groups,
      targets.destinations,
      kinds,
      trafficClasses,
      this.#keysIn(columns.places, places),
      this.#keysIn(columns.agents, agents),
      this.#keysIn(columns.referrers, referrers),
    ]
    const isTotal = totals.some((total) => total > 0)
    const clicks = isTotal ? rowsWhere(totals, (total) => total === 0) : undefined
    const clickCount = clicks?.length ?? at.length
    await writeColumns(connection, 'recent_clicks', clickCount, batchTypes, chosen([...facts, visitorHash], clicks))
    if (isTotal) {
      const rows = rowsWhere(totals, (total) => total > 0)
      await writeColumns(connection, 'recent_totals', rows.length, totalTypes, chosen([...facts, totals], rows))
    }
    for (const dictionary of this.#all) await dictionary.write(connection)
  }

  /** After the commit: keys of the batch may be used. */
  committed(): void {
    for (const dictionary of this.#all) dictionary.committed()
  }

  rolledBack(): void {
    for (const dictionary of this.#all) dictionary.rolledBack()
    this.#targets.clear()
    this.#keys = new WeakMap()
    this.#batchTargets = new WeakMap()
  }

  /** After keys were deleted from the dictionaries. */
  clear(): void {
    for (const dictionary of this.#all) dictionary.clear()
    this.rolledBack()
  }

  /** The key of each click's entry. */
  #keysIn<T extends object>({ table, used }: BatchColumn<T>, dictionary: { key(entry: T): number }): Int32Array {
    const known = this.#keysOf(table)
    const keys = new Int32Array(used.length)
    for (let row = 0; row < used.length; row++) {
      const number = used[row] ?? 0
      let key = known[number] ?? 0
      if (key === 0) {
        key = dictionary.key(entryOf(table, number))
        known[number] = key
      }
      keys[row] = key
    }
    return keys
  }

  #keysOf(table: readonly object[]): Int32Array {
    const known = this.#keys.get(table)
    if (known && known.length >= table.length) return known
    const larger = new Int32Array(2 * table.length)
    if (known) larger.set(known)
    this.#keys.set(table, larger)
    return larger
  }

  async #targetsIn(connection: DuckDBConnection, { table, used }: BatchColumn<BatchTarget>): Promise<TargetColumns> {
    const known = this.#batchTargets.get(table) ?? []
    this.#batchTargets.set(table, known)
    const missing: { readonly address: string; readonly target: Target }[] = []
    for (const number of used) {
      if (known[number]) continue
      const { address, groupGuid, destination } = entryOf(table, number)
      const target = { groupGuid, destination, address: 0, group: 0, leads: 0 }
      known[number] = target
      missing.push({ address, target })
    }
    if (missing.length > 0) await this.#findKeys(connection, missing)
    const columns = {
      addresses: new Int32Array(used.length),
      groups: new Int32Array(used.length),
      destinations: new Int32Array(used.length),
    }
    for (let row = 0; row < used.length; row++) {
      const target = entryOf(known, used[row] ?? 0)
      columns.addresses[row] = target.address
      columns.groups[row] = target.group
      columns.destinations[row] = target.leads
    }
    return columns
  }

  /** One target per click, in order. */
  async #targetsOf(connection: DuckDBConnection, clicks: readonly Click[]): Promise<readonly Target[]> {
    const targets: Target[] = []
    const missing: { readonly address: string; readonly target: Target }[] = []
    for (const { address, groupGuid, destination } of clicks) {
      let target = this.#targets.get(address)
      if (!target || target.destination !== destination || target.groupGuid !== groupGuid) {
        target = { groupGuid, destination, address: 0, group: 0, leads: 0 }
        missing.push({ address, target })
        if (destination.length <= maxCachedLength) this.#targets.set(address, target)
      }
      targets.push(target)
    }
    if (missing.length > 0) await this.#findKeys(connection, missing)
    return targets
  }

  async #findKeys(
    connection: DuckDBConnection,
    missing: readonly { readonly address: string; readonly target: Target }[],
  ): Promise<void> {
    const { addresses, groups, destinations } = this.dictionaries
    await groups.prepare(
      connection,
      missing.map(({ target }) => target.groupGuid),
    )
    await destinations.prepare(
      connection,
      missing.map(({ target }) => target.destination),
    )
    const used = missing.map(({ address, target }) => addressIn(groups.key(target.groupGuid), address))
    await addresses.prepare(connection, used)
    for (const [index, { target }] of missing.entries()) {
      target.group = groups.key(target.groupGuid)
      target.address = addresses.key(used[index] ?? '')
      target.leads = destinations.key(target.destination)
    }
  }
}

function rowsWhere(totals: Uint32Array, wanted: (total: number) => boolean): readonly number[] {
  const rows: number[] = []
  for (const [row, total] of totals.entries()) if (wanted(total)) rows.push(row)
  return rows
}

/** Selects these rows of the columns; undefined selects all. */
function chosen(columns: readonly BatchValues[], rows: readonly number[] | undefined): readonly BatchValues[] {
  return rows ? columns.map((column) => rows.map((row) => column[row] ?? 0)) : columns
}

type BatchValues = ArrayLike<number | bigint>

function entryOf<T extends object>(table: readonly T[], number: number): T {
  const entry = table[number]
  if (!entry) throw new Error('a click batch arrived without its tables')
  return entry
}

/** Texts longer than this are not cached: twenty thousand of them would take tens of megabytes. */
const maxCachedLength = 512

/** Columns in the order of the table. */
class Rows {
  readonly at: bigint[] = []
  readonly address: number[] = []
  readonly group: number[] = []
  readonly destination: number[] = []
  readonly kind: number[] = []
  readonly trafficClass: number[] = []
  readonly place: number[] = []
  readonly agent: number[] = []
  readonly referrer: number[] = []
  readonly visitor: bigint[] = []
}

const columnTypes: readonly ColumnType[] = [
  'BIGINT',
  'INTEGER',
  'INTEGER',
  'INTEGER',
  'UTINYINT',
  'UTINYINT',
  'INTEGER',
  'INTEGER',
  'INTEGER',
  'UBIGINT',
]

/**
 * DuckDB converts the times to integers; doing it here for a hundred thousand clicks a second creates too much garbage.
 */
const batchTypes: readonly ColumnType[] = ['DOUBLE', ...columnTypes.slice(1)]

const totalTypes: readonly ColumnType[] = [...batchTypes.slice(0, -1), 'UINTEGER']
