import { createHash } from 'node:crypto'
import { type ImportOutcome, type LinkToImport, maxRenames, type OnConflict, renamed } from './import-store.js'

/** What the store answers for one link. */
type Preview = (link: LinkToImport) => Promise<ImportOutcome | undefined>

/**
 * A dry run writes nothing, so the store does not know what earlier rows of the file would have taken. This remembers it
 * and corrects the store's answers. Hashes only, some 80 bytes for each address: millions fit.
 */
export class PreviewedAddresses {
  readonly #onConflict: OnConflict
  readonly #preview: Preview
  /** Several, because a Map has at most 16 million entries. Hashes of long URLs by hashes of addresses. */
  readonly #longUrls = Array.from({ length: 16 }, () => new Map<number, number>())

  constructor(onConflict: OnConflict, preview: Preview) {
    this.#onConflict = onConflict
    this.#preview = preview
  }

  /** What becomes of the link after the rows before it. */
  async settle(link: LinkToImport, decided: ImportOutcome): Promise<ImportOutcome> {
    const outcome = await this.#corrected(link, decided)
    if (outcome.outcome === 'same' || outcome.outcome === 'conflict') return outcome
    const isMade = outcome.outcome !== 'replaced'
    const late = isMade ? link.keywords.filter((keyword) => this.#find(keyword) !== undefined) : []
    for (const address of [outcome.address, ...(isMade ? link.keywords : [])]) this.#take(address, link.longUrl)
    return late.length === 0
      ? outcome
      : withNote(outcome, `left out, because earlier rows have them: ${late.join(', ')}`)
  }

  async #corrected(link: LinkToImport, decided: ImportOutcome): Promise<ImportOutcome> {
    const { outcome } = decided
    if (outcome === 'conflict') return decided
    if (outcome === 'renamed') return this.#find(decided.address) === undefined ? decided : this.#rename(link)
    // Only `replace` changes where an address leads that the store has.
    const known = outcome === 'same' && this.#onConflict !== 'replace' ? undefined : this.#find(link.address)
    if (known === undefined) return decided
    const { address } = link
    if (known === longUrlHash(link.longUrl)) return { outcome: 'same', address }
    if (this.#onConflict === 'replace') return { outcome: 'replaced', address }
    return this.#onConflict === 'rename' ? this.#rename(link) : taken
  }

  /** As the store renames: the first free back-half, or the one that an earlier row with this long URL got. */
  async #rename(link: LinkToImport): Promise<ImportOutcome> {
    for (let attempt = 2; attempt <= maxRenames; attempt++) {
      const backHalf = renamed(link.backHalf, attempt)
      const address = `${link.domain}/${backHalf}`
      const known = this.#find(address)
      if (known === longUrlHash(link.longUrl)) return { outcome: 'same', address }
      if (known !== undefined) continue
      const stored = await this.#preview({ ...link, address, backHalf, keywords: [] })
      if (stored?.outcome === 'new') return { outcome: 'renamed', address }
      if (stored?.outcome === 'same') return stored
    }
    return taken
  }

  #find(address: string): number | undefined {
    const [map, key] = this.#place(address)
    return map.get(key)
  }

  /** The first row that has an address keeps it, unless another replaces it. */
  #take(address: string, longUrl: string): void {
    const [map, key] = this.#place(address)
    if (this.#onConflict === 'replace' || !map.has(key)) map.set(key, longUrlHash(longUrl))
  }

  #place(address: string): readonly [map: Map<number, number>, key: number] {
    const hash = createHash('sha1').update(address).digest()
    return [this.#longUrls[hash.readUInt8(6) % 16] as Map<number, number>, hash.readUIntBE(0, 6)]
  }
}

const taken: ImportOutcome = { outcome: 'conflict', reason: 'an earlier row has this back-half and leads elsewhere' }

function longUrlHash(longUrl: string): number {
  return createHash('sha1').update(longUrl).digest().readInt32BE(0)
}

function withNote(outcome: Exclude<ImportOutcome, { readonly outcome: 'conflict' }>, note: string): ImportOutcome {
  return { ...outcome, note: outcome.note === undefined ? note : `${outcome.note}; ${note}` }
}
