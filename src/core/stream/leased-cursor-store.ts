/**
 * How far something that several processes could do has been done, and which of them is doing it. Each method is one
 * atomic step; leased-cursor-store.contract.ts says what is promised. Two may do it for a moment, when one was thought to be
 * gone: whoever uses it must be able to bear that.
 */
export interface LeasedCursorStore {
  /**
   * The position, and with it the turn: for who has it already, for the first who asks (at `from`), and for who asks
   * when the one who has it has not moved since `staleBefore`. Undefined while it is another's turn.
   */
  take(name: string, holder: string, claim: LeasedCursorClaim): Promise<number | undefined>
  /** False when another has the turn; nothing is changed then. */
  move(name: string, holder: string, to: number, now: number): Promise<boolean>
  /** Lets anybody take the turn at once. */
  leave(name: string, holder: string): Promise<void>
}

interface LeasedCursorClaim {
  readonly from: number
  readonly now: number
  readonly staleBefore: number
}
