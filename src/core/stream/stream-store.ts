import type { LinkFacts } from './click-message.js'

/**
 * What the stream needs of the records: who may read it, which links are new, what to tell of a link, and which process
 * publishes. Each method is one atomic step; stream-store.contract.ts says what is promised.
 */
export interface StreamStore {
  // Who may read. What they may read is access.ts.

  /** Once: allowing again changes nothing and answers `already`. `unknown` when there is no such organization or user. */
  allowReader(reader: StreamReader, by: string, at: number): Promise<'allowed' | 'already' | 'unknown'>
  /** False when it was not allowed before. */
  denyReader(reader: StreamReader): Promise<boolean>
  /** Oldest first. */
  allowedReaders(): Promise<readonly AllowedReader[]>

  // Links in the order in which they were made. Nothing is written for it when a link is made: it reads the links.

  /**
   * Links beyond a position and made before a moment, oldest first, at most so many; deleted ones too. A link can appear
   * behind the newest one that was read: it gets its time before it is written.
   */
  newLinks(after: NewLinkPosition, before: number, size: number): Promise<readonly NewLink[]>
  /**
   * For how many whole milliseconds, rather more than less, the oldest change that may make links has been open; 0 when
   * there is none. A change that has ended is seen by whoever reads after asking.
   */
  openFor(): Promise<number>
  /** Of those that exist, in no particular order. */
  describeLinks(ids: readonly string[]): Promise<readonly DescribedLink[]>

  /** What messages tell of links, by address; of those addresses that exist. */
  linkFacts(addresses: readonly string[]): Promise<ReadonlyMap<string, LinkFacts>>

  // How far something that several processes could do has been done, and which of them is doing it. Two may do it for a
  // moment, when one was thought to be gone: whoever uses it must be able to bear that.

  /**
   * The position, and with it the turn: for who has it already, for the first who asks (at `from`), and for who asks
   * when the one who has it has not moved since `staleBefore`. Undefined while it is another's turn.
   */
  takeCursor(name: string, holder: string, claim: LeasedCursorClaim): Promise<number | undefined>
  /** False when another has the turn; nothing is changed then. */
  moveCursor(name: string, holder: string, to: number, now: number): Promise<boolean>
  /** Lets anybody take the turn at once. */
  leaveCursor(name: string, holder: string): Promise<void>
}

/** A whole organization, or one account by its login. */
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
  /** Of the last one that was made at that moment; an empty text comes before all of them. */
  readonly id: string
}

export interface NewLink extends NewLinkPosition {
  readonly groupGuid: string
}

export interface DescribedLink extends NewLink {
  readonly longUrl: string
  readonly createdBy: string
  readonly clientId: string | undefined
  /** The address of its first keyword, when it has one. */
  readonly keyword: string | undefined
  /** The address of the global hash of its long URL, when there is one. */
  readonly globalHash: string | undefined
}

interface LeasedCursorClaim {
  readonly from: number
  readonly now: number
  readonly staleBefore: number
}
