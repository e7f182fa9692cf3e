/** The salts of days, for processes that share records: a visitor of two of them is one visitor. Its contract says more. */
export interface VisitorSaltStore {
  /**
   * The salts that days have: those that were drawn here for days that had none, and for the others what was drawn first.
   * Salts of days before `since` are deleted.
   */
  settle(drawn: ReadonlyMap<number, string>, since: number): Promise<ReadonlyMap<number, string>>
}
