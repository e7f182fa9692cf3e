/**
 * Clicks as rows of small numbers: gives every text of a batch its key and hands the rows to the engine, all within the
 * transaction of whoever calls it. One pass over the clicks, because this is done for every click there is.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Click } from '../../core/clicks/click.js'
import { RecentMap } from '../../lib/recent-map.js'
import { type ColumnType, writeColumns } from './columns.js'
import { Addresses, addressIn, Descriptions, type Dictionary, Names } from './dictionary.js'
import { kindNumber, natureNumber } from './schema.js'

export async function openClickWriter(connection: DuckDBConnection): Promise<ClickWriter> {
  return new ClickWriter({
    addresses: await Addresses.open(connection, 'addresses', 250_000),
    groups: await Names.open(connection, 'groups', 10_000),
    destinations: await Names.open(connection, 'destinations', 250_000),
    // Their tables begin with the country, and with the kind of device.
    places: await Descriptions.open(connection, 'places', [3, 2, 1, 0], 50_000),
    agents: await Descriptions.open(connection, 'agents', [2, 1, 0], 5_000),
    referrers: await Descriptions.open(connection, 'referrers', [0, 1, 2, 3], 100_000),
  })
}

interface Dictionaries {
  readonly addresses: Addresses
  readonly groups: Names
  readonly destinations: Names
  readonly places: Descriptions
  readonly agents: Descriptions
  readonly referrers: Descriptions
}

/** An address, its group and where it leads, as keys. */
interface Target {
  readonly groupGuid: string
  readonly destination: string
  address: number
  group: number
  leads: number
}

export class ClickWriter {
  readonly dictionaries: Dictionaries
  readonly #all: readonly Dictionary[]
  /** By address. Only a shortcut: one look instead of three. */
  readonly #targets = new RecentMap<string, Target>(20_000)

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
      rows.nature.push(natureNumber[click.nature])
      rows.place.push(places.key(click.city, click.subregion, click.region, click.country))
      rows.agent.push(agents.key(click.browser, click.os, click.device, ''))
      rows.referrer.push(referrers.key(click.referrer, click.referrerDomain, click.referrerName, click.referrerNetwork))
      rows.visitor.push(click.visitorHash)
    }
    await writeColumns(connection, 'recent_clicks', clicks.length, columnTypes, Object.values(rows))
    for (const dictionary of this.#all) await dictionary.write(connection)
  }

  /** The keys of the batch may be used from now on. */
  committed(): void {
    for (const dictionary of this.#all) dictionary.committed()
  }

  rolledBack(): void {
    for (const dictionary of this.#all) dictionary.rolledBack()
    this.#targets.clear()
  }

  /** One for each click, in their order. */
  async #targetsOf(connection: DuckDBConnection, clicks: readonly Click[]): Promise<readonly Target[]> {
    const targets: Target[] = []
    const missing: { readonly address: string; readonly target: Target }[] = []
    for (const { address, groupGuid, destination } of clicks) {
      let target = this.#targets.get(address)
      if (!target || target.destination !== destination || target.groupGuid !== groupGuid) {
        target = { groupGuid, destination, address: 0, group: 0, leads: 0 }
        missing.push({ address, target })
        if (destination.length <= longestRemembered) this.#targets.set(address, target)
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

/** Our choice: twenty thousand longer ones would take tens of megabytes. */
const longestRemembered = 512

/** Columns, in the order of the table. */
class Rows {
  readonly at: bigint[] = []
  readonly address: number[] = []
  readonly group: number[] = []
  readonly destination: number[] = []
  readonly kind: number[] = []
  readonly nature: number[] = []
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
