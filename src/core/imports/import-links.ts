/**
 * Imports links of another product. Reads the source once, row by row, and writes batches, each in one transaction. A
 * row that cannot be imported stops nothing. Running it again finds what is there, so a stopped import needs no memory
 * of how far it came. Knows neither files nor networks nor SQL.
 */
import { Refusal } from '../values/refusal.js'
import type { ImportOutcome, ImportOwner, ImportStore, LinkToImport, OnConflict } from './import-store.js'
import { type ImportedLink, type InvalidRow, isInvalid, type LinkSource, type SourceAddress } from './imported-link.js'
import { LinkPreparation, type PrepareDeps } from './prepare-link.js'
import { PreviewedAddresses } from './previewed-addresses.js'

export interface ImportLinksDeps extends PrepareDeps {
  readonly linkImports: ImportStore
}

export interface ImportLinksOptions {
  readonly owner: ImportOwner
  readonly map: ReadonlyMap<string, string>
  readonly onConflict: OnConflict
  /** Decide only. */
  readonly dryRun: boolean
}

export interface ImportLinksWatch {
  /** Stops after the current batch. */
  readonly signal?: AbortSignal
  readonly onProgress?: (counts: LinkCounts) => void
  /** Every row, in order. */
  readonly onResult?: (result: RowResult) => Promise<void> | void
}

export const outcomes = ['new', 'same', 'renamed', 'replaced', 'conflict', 'invalid'] as const
export type RowOutcome = (typeof outcomes)[number]

export interface RowResult {
  readonly row: number
  readonly outcome: RowOutcome
  /** As the source has it: `<domain>/<back-half>`. */
  readonly from: string
  /** The stored address. */
  readonly address: string | undefined
  readonly longUrl: string
  /** Why it was not imported, or what was left out of it. */
  readonly reason: string
}

export interface LinkCounts {
  readonly rows: number
  readonly by: Readonly<Record<RowOutcome, number>>
  /** The first rows of each outcome. */
  readonly examples: Readonly<Record<RowOutcome, readonly RowResult[]>>
  /** Links that were imported, but not with all that the source has of them. */
  readonly remarks: { readonly count: number; readonly examples: readonly RowResult[] }
}

export interface ImportedLinks {
  readonly counts: LinkCounts
  /** False when `signal` stopped it. */
  readonly ended: boolean
  /** Where clicks of a link of the source belong. */
  readonly addresses: LinkAddresses
}

/**
 * Back-halves lie all over the indexes: the more of them a transaction writes, the more share a page. Beside a running
 * service on SQLite the command divides batches, so that other writers wait for milliseconds.
 */
const batchSize = 8_000
const fewExamples = 10

export async function importLinks(
  deps: ImportLinksDeps,
  source: LinkSource,
  options: ImportLinksOptions,
  watch: ImportLinksWatch = {},
): Promise<ImportedLinks> {
  const { owner, map } = options
  const preparation = new LinkPreparation(deps, { groupGuid: owner.groupGuid, map, now: owner.at })
  const addresses = new LinkAddresses(preparation)
  const tally = new Tally()
  const decide = options.dryRun ? preview(deps.linkImports, options) : deps.linkImports.importLinks
  let batch = new Batch()

  async function flush(): Promise<void> {
    const results = await settle(decide, batch, options)
    for (const result of results) {
      tally.add(result)
      if (watch.onResult) await watch.onResult(result)
    }
    addresses.learn(batch, results)
    batch = new Batch()
    watch.onProgress?.(tally.counts)
  }

  for await (const row of source.links()) {
    const prepared = isInvalid(row) ? row.reason : preparation.link(row)
    // Of two rows with one address the second is decided when the first is written.
    if (typeof prepared !== 'string' && batch.has(prepared)) await flush()
    batch.add(row, prepared)
    if (batch.size < batchSize) continue
    await flush()
    if (watch.signal?.aborted) return { counts: tally.counts, ended: false, addresses }
  }
  await flush()
  return { counts: tally.counts, ended: watch.signal?.aborted !== true, addresses }
}

interface BatchRow {
  readonly row: ImportedLink | InvalidRow
  readonly prepared: LinkToImport | string
}

/** Rows in order; the addresses of its links are distinct. */
class Batch {
  readonly rows: BatchRow[] = []
  readonly #addresses = new Set<string>()

  get size(): number {
    return this.rows.length
  }

  get links(): readonly LinkToImport[] {
    return this.rows.flatMap(({ prepared }) => (typeof prepared === 'string' ? [] : [prepared]))
  }

  has({ address, keywords }: LinkToImport): boolean {
    return this.#addresses.has(address) || keywords.some((keyword) => this.#addresses.has(keyword))
  }

  add(row: ImportedLink | InvalidRow, prepared: LinkToImport | string): void {
    this.rows.push({ row, prepared })
    if (typeof prepared === 'string') return
    this.#addresses.add(prepared.address)
    for (const keyword of prepared.keywords) this.#addresses.add(keyword)
  }
}

/** Like `ImportStore.importLinks`, but writes nothing. */
function preview({ previewLinks }: ImportStore, { owner, onConflict }: ImportLinksOptions): ImportStore['importLinks'] {
  const addresses = new PreviewedAddresses(onConflict, async (link) => (await previewLinks(owner, [link], 'skip'))[0])
  return async (_, links) => {
    const outcomes: ImportOutcome[] = []
    for (const [index, decided] of (await previewLinks(owner, links, onConflict)).entries())
      outcomes.push(await addresses.settle(links[index] as LinkToImport, decided))
    return outcomes
  }
}

async function settle(
  decide: ImportStore['importLinks'],
  batch: Batch,
  { owner, onConflict }: ImportLinksOptions,
): Promise<readonly RowResult[]> {
  const { links } = batch
  const decided = links.length === 0 ? [] : await decide(owner, links, onConflict).catch(withAdvice)
  const byLink = new Map(links.map((link, index) => [link, decided[index]]))
  return batch.rows.map(({ row, prepared }) =>
    typeof prepared === 'string' ? invalidResult(row, prepared) : resultOf(row, prepared, byLink.get(prepared)),
  )
}

function withAdvice(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  throw new Refusal(error.code, `${error.message} Run the command again: it continues where it stopped.`, error.details)
}

function invalidResult(row: ImportedLink | InvalidRow, reason: string): RowResult {
  const from = isInvalid(row) ? row.text : writtenAddress(row)
  const longUrl = isInvalid(row) ? '' : row.longUrl
  return { row: row.row, outcome: 'invalid', from, address: undefined, longUrl, reason }
}

function resultOf(row: ImportedLink | InvalidRow, link: LinkToImport, decided: ImportOutcome | undefined): RowResult {
  if (!decided || isInvalid(row)) throw new Error(`the link ${link.address} was imported without an outcome`)
  const { longUrl } = link
  const common = { row: row.row, outcome: decided.outcome, from: writtenAddress(row), longUrl }
  if (decided.outcome === 'conflict') return { ...common, address: undefined, reason: decided.reason }
  const remarks = decided.outcome === 'same' ? [] : remarksOf(row, link)
  return { ...common, address: decided.address, reason: [decided.note ?? [], ...remarks].flat().join('; ') }
}

function remarksOf({ createdAt = 0, remarks = [] }: ImportedLink, link: LinkToImport): readonly string[] {
  return createdAt > link.createdAt ? [...remarks, 'its date is in the future, so it got the current one'] : remarks
}

function writtenAddress({ domain, backHalf }: SourceAddress): string {
  return domain === undefined ? backHalf : `${domain}/${backHalf}`
}

class Tally {
  #rows = 0
  readonly #by = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<RowOutcome, number>
  readonly #examples = Object.fromEntries(outcomes.map((outcome) => [outcome, [] as RowResult[]])) as Record<
    RowOutcome,
    RowResult[]
  >
  readonly #remarks = { count: 0, examples: [] as RowResult[] }

  add(result: RowResult): void {
    const { outcome, address, reason } = result
    this.#rows += 1
    this.#by[outcome] += 1
    if (this.#examples[outcome].length < fewExamples) this.#examples[outcome].push(result)
    if (address === undefined || reason === '') return
    this.#remarks.count += 1
    if (this.#remarks.examples.length < fewExamples) this.#remarks.examples.push(result)
  }

  get counts(): LinkCounts {
    return { rows: this.#rows, by: { ...this.#by }, examples: this.#examples, remarks: { ...this.#remarks } }
  }
}

/**
 * Where the clicks of each link belong. Nearly all links have the address that the rules give them; only the others are
 * in memory: renamed ones, and those that were not imported, whose clicks must not count for what holds their address.
 */
export class LinkAddresses {
  readonly #preparation: LinkPreparation
  readonly #others = new Map<string, string | undefined>()

  constructor(preparation: LinkPreparation) {
    this.#preparation = preparation
  }

  learn(batch: { readonly rows: readonly BatchRow[] }, results: readonly RowResult[]): void {
    for (const [index, { row, prepared }] of batch.rows.entries()) {
      if (isInvalid(row)) continue
      const { outcome, address } = results[index] ?? {}
      const usual = typeof prepared === 'string' ? undefined : prepared.address
      if (outcome !== 'conflict' && address === usual && usual !== undefined) continue
      this.#others.set(writtenAddress(row), outcome === 'conflict' ? undefined : address)
    }
  }

  /** The stored address; undefined: the link was not imported. */
  of(written: SourceAddress): string | undefined {
    const key = writtenAddress(written)
    return this.#others.has(key) ? this.#others.get(key) : this.#preparation.address(written)
  }
}
