/**
 * Keeps the answers of requests that were sent with an Idempotency-Key. Each method is one atomic step; the promises are
 * tested in answer-store.contract.ts.
 */
export interface AnswerStore {
  /** Answers kept before `since` do not count. */
  find(id: string, since: number): Promise<KeptAnswer | undefined>
  /**
   * Runs the work and keeps its answer. Everything that the work writes to the records and the answer are one transaction,
   * so a crash leaves both or neither; if the work throws, nothing is written. If another process keeps an answer with
   * this id first, the work is undone and the other answer is returned. The work may run more than once.
   */
  keep(request: KeyedRequest, work: () => Promise<Answer>): Promise<Kept>
  /** Deletes at most `limit` answers from before `before`, and returns how many. */
  deleteOld(before: number, limit: number): Promise<number>
}

export interface KeyedRequest {
  /** Of the caller and the key. */
  readonly id: string
  /** Of what was asked for: differs if the key is used for something else. */
  readonly fingerprint: string
  readonly at: number
  /** Answers kept before do not count. */
  readonly since: number
}

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface KeptAnswer {
  readonly fingerprint: string
  /** Undefined if it cannot be decrypted, because the key was lost. */
  readonly answer: Answer | undefined
}

interface Kept extends KeptAnswer {
  /** False: another process was first. */
  readonly isNew: boolean
}
