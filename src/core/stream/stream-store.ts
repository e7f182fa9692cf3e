/**
 * Everything the stream reads from the database: readers, new links, link data for messages, and which process publishes.
 * Each method is one atomic step; stream-store.contract.ts defines the behaviour.
 */
export interface StreamStore {
  // Readers. access.ts decides what they may read.

  /** `already` when the reader is allowed already; `unknown` when there is no such organization or user. */
  allowReader(reader: StreamReader, by: string, at: number): Promise<'allowed' | 'already' | 'unknown'>
  /** False when the reader was not allowed before. */
  denyReader(reader: StreamReader): Promise<boolean>
  /** Oldest first. */
  allowedReaders(): Promise<readonly AllowedReader[]>

  // New links, in order of creation. Creating a link writes nothing extra for the stream.

  /**
   * Links after a position and created before a time, oldest first, at most `size`; including deleted ones. A link may
   * appear before links that were read already: it gets its timestamp before its transaction commits.
   */
  newLinks(after: NewLinkPosition, before: number, size: number): Promise<readonly NewLink[]>
  /**
   * Age in milliseconds, rounded up, of the oldest open transaction that may create links; 0 without one. Transactions
   * that committed before this call are visible to later reads.
   */
  openFor(): Promise<number>
  /** Only links that exist, in the order of `ids`. */
  describeLinks(ids: readonly string[]): Promise<readonly DescribedLink[]>

  /** Link data for messages, by address; only addresses that exist. */
  linkFacts(addresses: readonly string[]): Promise<ReadonlyMap<string, LinkFacts>>

  // Leased cursors: the position of a task that one process does at a time. When a lease is wrongly considered stale, two
  // processes may work for a moment, so the task must tolerate repetition.

  /**
   * Returns the position and takes the lease: if `holder` has it already, if nobody had it before (position `from`), or if
   * the current holder has not moved since `staleBefore`; when its clock is ahead, it moved now. Undefined while another process has the lease.
   */
  takeCursor(name: string, holder: string, claim: LeasedCursorClaim): Promise<number | undefined>
  /** False, without a change, when another process has the lease. */
  moveCursor(name: string, holder: string, to: number, now: number): Promise<boolean>
  /** Releases the lease. */
  leaveCursor(name: string, holder: string): Promise<void>
}

/** An organization, or a user by login. */
export interface StreamReader {
  readonly kind: 'organization' | 'login'
  /** The organization's guid, or the login. */
  readonly subject: string
}

export interface AllowedReader extends StreamReader {
  readonly allowedBy: string
  readonly allowedAt: number
}

export interface NewLinkPosition {
  readonly createdAt: number
  /** The last id created at that time; an empty string comes before all ids. */
  readonly id: string
}

export interface NewLink extends NewLinkPosition {
  readonly groupGuid: string
}

export interface DescribedLink extends NewLink {
  readonly longUrl: string
  readonly createdBy: string
  readonly clientId: string | undefined
  /** The address of its first keyword, if any. */
  readonly keyword: string | undefined
  /** The address of the long URL's global hash, if there is one. */
  readonly globalHash: string | undefined
}

interface LeasedCursorClaim {
  readonly from: number
  readonly now: number
  readonly staleBefore: number
}

/** Link data that click messages include. */
export interface LinkFacts {
  readonly login: string
  readonly createdAt: number
  /** The address of the long URL's global hash, if there is one. */
  readonly globalHash: string | undefined
}
