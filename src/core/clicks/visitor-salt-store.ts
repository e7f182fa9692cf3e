/** Stores daily salts, so that several processes hash a visitor alike. The contract test defines the behaviour. */
export interface VisitorSaltStore {
  /**
   * Stores the given salts for days without one, and returns the salts of all days: the first one stored wins. Deletes the
   * salts of days before `since`.
   */
  settle(drawn: ReadonlyMap<number, string>, since: number): Promise<ReadonlyMap<number, string>>
}
