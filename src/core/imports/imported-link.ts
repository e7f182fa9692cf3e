/**
 * What an import of links is made of: links and clicks as another product stores them, before they belong to this
 * service. Sources (storage/link-sources) yield them; this room decides what becomes of them.
 */

/** A link of another product. */
export interface ImportedLink {
  /** Its line in the file, or its position in the list of an API. */
  readonly row: number
  /** The host of its short URL, in lower case; undefined if the source does not say. */
  readonly domain: string | undefined
  readonly backHalf: string
  /** Further back-halves that lead to the same destination. */
  readonly customBackHalves?: readonly SourceAddress[]
  readonly longUrl: string
  /** Milliseconds since 1970; undefined if the source does not say. */
  readonly createdAt?: number | undefined
  readonly title?: string | undefined
  readonly tags?: readonly string[]
  readonly archived?: boolean
  readonly expiresAt?: number | undefined
  readonly note?: string | undefined
  /** What could not be read and is left out, in plain English. */
  readonly remarks?: readonly string[]
}

/** An address in the other product. */
export interface SourceAddress {
  readonly domain: string | undefined
  readonly backHalf: string
}

/** A row that is no link. */
export interface InvalidRow {
  readonly row: number
  readonly reason: string
  /** As much of the row as helps to find it. */
  readonly text: string
}

/** A click, or several that the source only counted. */
export interface ImportedClick extends SourceAddress {
  readonly at: number
  /** Undefined: one click. */
  readonly count?: number | undefined
  readonly kind?: 'click' | 'scan' | undefined
  readonly ip?: string | undefined
  /** Two letters. */
  readonly country?: string | undefined
  readonly region?: string | undefined
  readonly city?: string | undefined
  readonly userAgent?: string | undefined
  readonly referrer?: string | undefined
}

/** A file or an API with links. Both methods may be called more than once, and yield the same order each time. */
export interface LinkSource {
  /** What was recognised, for people: "YOURLS, SQL dump". */
  readonly format: string
  /** Names the other installation. Clicks that were counted under this name are not counted again. */
  readonly name: string
  /** What `clicks` yields. */
  readonly detail: 'single clicks' | 'clicks per hour' | 'clicks per day' | 'totals'
  /**
   * All clicks of an address follow each other, oldest first. Otherwise clicks of several addresses are mixed, in the
   * order they happened.
   */
  readonly clicksByLink: boolean
  /** Identifies this copy of the other installation, if it is a file. */
  readonly copy?: string
  links(): AsyncIterable<ImportedLink | InvalidRow>
  clicks(): AsyncIterable<ImportedClick>
  /** How much the current method has read. */
  progress(): SourceProgress
  close(): Promise<void>
}

interface SourceProgress {
  readonly done: number
  /** Undefined if the source does not know its size. */
  readonly of: number | undefined
}

export function isInvalid(row: ImportedLink | InvalidRow): row is InvalidRow {
  return 'reason' in row
}
