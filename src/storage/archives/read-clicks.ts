/** Reads the clicks of an archive back, as batches for any click log. */
import { type DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api'
import type { EngagementKind, TrafficClass } from '../../core/clicks/click.js'
import {
  type BatchAgent,
  type BatchColumn,
  type BatchTarget,
  type ClickBatch,
  engagementKinds,
} from '../../core/clicks/click-batch.js'
import type { Location } from '../../core/clicks/locate.js'
import type { Referrer } from '../../core/clicks/referrer.js'
import { clickFacts, quoted } from './click-files.js'

/** Rows of a batch at most, and about: whole chunks of DuckDB. */
const batchRows = 20_480

/** In front of every text, because the driver drops a byte order mark at the beginning of one. */
const guard = '.'

/** The clicks of a Parquet or NDJSON file after its first `skip` rows. */
export async function* readClicks(file: string, skip: number): AsyncGenerator<ClickBatch> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '512MB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    const texts = clickFacts.map((fact) => `'${guard}' || ${fact}`).join(', ')
    const columns = `epoch_ms(clicked_at)::DOUBLE, ${texts}, visitor, clicks`
    const result = await connection.stream(`SELECT ${columns} FROM ${rowsIn(file)} OFFSET ${skip}`)
    let batch = new BatchBuilder()
    for (;;) {
      const chunk = await result.fetchChunk()
      if (!chunk || chunk.rowCount === 0) break
      batch.add(chunk)
      if (batch.rows < batchRows) continue
      yield batch.build()
      batch = new BatchBuilder()
    }
    if (batch.rows > 0) yield batch.build()
  } finally {
    instance.closeSync()
  }
}

function rowsIn(file: string): string {
  if (file.endsWith('.parquet')) return `read_parquet(${quoted(file)})`
  const texts = clickFacts.map((fact) => `${fact}: 'VARCHAR'`).join(', ')
  const columns = `{clicked_at: 'TIMESTAMP', ${texts}, visitor: 'UBIGINT', clicks: 'UINTEGER'}`
  return `read_json(${quoted(file)}, format = 'newline_delimited', columns = ${columns})`
}

class BatchBuilder {
  readonly #at: number[] = []
  readonly #visitors: bigint[] = []
  readonly #totals: number[] = []
  readonly #kinds: number[] = []
  readonly #targets = new ColumnBuilder<BatchTarget>()
  readonly #places = new ColumnBuilder<Location>()
  readonly #agents = new ColumnBuilder<BatchAgent>()
  readonly #referrers = new ColumnBuilder<Referrer>()

  get rows(): number {
    return this.#at.length
  }

  add(chunk: DuckDBDataChunk): void {
    const [times = [], ...others] = chunk.getColumns()
    const visitors = others.at(-2) ?? []
    const clicks = others.at(-1) ?? []
    const fact = (name: (typeof clickFacts)[number], row: number) =>
      String(others[clickFacts.indexOf(name)]?.[row] ?? '').slice(guard.length)
    for (let row = 0; row < chunk.rowCount; row++) {
      const visitor = visitors[row]
      this.#at.push(Number(times[row]))
      this.#visitors.push(typeof visitor === 'bigint' ? visitor : 0n)
      this.#totals.push(typeof visitor === 'bigint' ? 0 : Number(clicks[row]))
      this.#kinds.push(Math.max(0, engagementKinds.indexOf(fact('kind', row) as EngagementKind)))
      const [address, groupGuid, destination] = [
        fact('address', row),
        fact('group_guid', row),
        fact('destination', row),
      ]
      this.#targets.add([address, groupGuid, destination], () => ({ address, linkId: '', groupGuid, destination }))
      const place = [fact('country', row), fact('region', row), fact('subregion', row), fact('city', row)] as const
      this.#places.add(place, () => ({ country: place[0], region: place[1], subregion: place[2], city: place[3] }))
      const agent = [fact('traffic_class', row), fact('device', row), fact('os', row), fact('browser', row)] as const
      this.#agents.add(agent, () => ({
        // The archive was verified: these are names that a click log wrote.
        trafficClass: agent[0] as TrafficClass,
        device: agent[1] as BatchAgent['device'],
        os: agent[2],
        browser: agent[3],
      }))
      const referrer = [
        ...[fact('referrer', row), fact('referrer_domain', row)],
        ...[fact('referrer_name', row), fact('referrer_network', row)],
      ]
      this.#referrers.add(referrer, () => {
        const [raw = '', domain = '', name = '', network = ''] = referrer
        return { raw, domain, name, network }
      })
    }
  }

  build(): ClickBatch {
    return {
      at: Float64Array.from(this.#at),
      visitorHash: BigUint64Array.from(this.#visitors),
      totals: Uint32Array.from(this.#totals),
      kinds: Uint8Array.from(this.#kinds),
      targets: this.#targets.build(),
      places: this.#places.build(),
      agents: this.#agents.build(),
      referrers: this.#referrers.build(),
      passedOver: [],
    }
  }
}

/** Shared values are stored once. */
class ColumnBuilder<T extends object> {
  readonly #table: T[] = []
  readonly #used: number[] = []
  readonly #known = new Map<string, number>()

  add(parts: readonly string[], entry: () => T): void {
    // Lengths in front, so that different parts never make the same key.
    const key = `${parts.map((part) => part.length).join(' ')}\n${parts.join('')}`
    let number = this.#known.get(key)
    if (number === undefined) {
      number = this.#table.push(entry()) - 1
      this.#known.set(key, number)
    }
    this.#used.push(number)
  }

  build(): BatchColumn<T> {
    return { table: this.#table, used: Uint32Array.from(this.#used) }
  }
}
