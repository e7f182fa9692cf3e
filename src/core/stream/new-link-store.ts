/**
 * Links in the order in which they were made, for whoever tells others of them. Each method is one atomic step;
 * new-link-store.contract.ts says what is promised. Nothing is written for it when a link is made: it reads the links.
 */
export interface NewLinkStore {
  /**
   * Links beyond a position and made before a moment, oldest first, at most so many; deleted ones too. A link can appear
   * behind the newest one that was read: it gets its time before it is written.
   */
  made(after: NewLinkPosition, before: number, size: number): Promise<readonly NewLink[]>
  /**
   * For how many whole milliseconds, rather more than less, the oldest change that may make links has been open; 0 when
   * there is none. A change that has ended is seen by whoever reads after asking.
   */
  openFor(): Promise<number>
  /** Of those that exist, in no particular order. */
  describe(ids: readonly string[]): Promise<readonly DescribedLink[]>
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
