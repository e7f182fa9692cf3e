/** Stores imported links. Each method is one atomic step; the promises are tested in import-store.contract.ts. */
export interface ImportStore {
  /**
   * Writes the links with their addresses, keywords and tags, all or nothing, and returns one outcome per link in order.
   * The addresses must be distinct. A link whose address leads to the same long URL in the same group is `same` and
   * stays as it is, so importing twice changes nothing. Races with other writers for one address are settled here: one
   * gets it, and the other is a conflict.
   */
  importLinks(owner: ImportOwner, links: readonly LinkToImport[], onConflict: OnConflict): Promise<ImportOutcomes>
  /** What `importLinks` would return now. Writes nothing. */
  previewLinks(owner: ImportOwner, links: readonly LinkToImport[], onConflict: OnConflict): Promise<ImportOutcomes>

  // Which clicks of a source were counted. `source` is `LinkSource.name`.

  /** The marks of these addresses; those without counted clicks are missing. */
  clickMarks(source: string, addresses: readonly string[]): Promise<ReadonlyMap<string, ClickMark>>
  /**
   * Stores marks, unless a later one is there. They become visible by `settleClicks`: until then `clickMarks` returns
   * those from before, so that an interrupted import can be repeated from its beginning.
   */
  noteClicks(source: string, marks: ReadonlyMap<string, ClickMark>): Promise<void>
  settleClicks(source: string): Promise<void>
}

/** How many clicks of an address were counted: all before `at`, and this number at `at`. */
export interface ClickMark {
  readonly at: number
  readonly count: number
}

export interface ImportOwner {
  readonly groupGuid: string
  /** The creator of the links. */
  readonly login: string
  /** The time of the import. */
  readonly at: number
}

/** What to do when an address leads elsewhere: keep what is there, import under another back-half, or change it. */
export type OnConflict = 'skip' | 'rename' | 'replace'

/** A checked link. Addresses are stored ones: `<key of the domain>/<back-half>`. */
export interface LinkToImport {
  readonly address: string
  /** The key of its domain. */
  readonly domain: string
  readonly backHalf: string
  readonly keywords: readonly string[]
  readonly longUrl: string
  readonly createdAt: number
  readonly title: string | undefined
  readonly tags: readonly string[]
  readonly archived: boolean
  readonly expiresAt: number | undefined
  readonly note: string | undefined
}

export type ImportOutcomes = readonly ImportOutcome[]

export type ImportOutcome =
  | {
      readonly outcome: 'new' | 'same' | 'renamed' | 'replaced'
      readonly address: string
      /** What was left out, in plain English. */
      readonly note?: string | undefined
    }
  | { readonly outcome: 'conflict'; readonly reason: string }

/** Tried in order: `sale`, `sale-2`, `sale-3`. The names are fixed, so that a second run finds what the first one wrote. */
export const maxRenames = 100

export function renamed(backHalf: string, attempt: number): string {
  return `${backHalf}-${attempt}`
}
