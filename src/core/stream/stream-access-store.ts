/**
 * Who may read the stream. Each method is one atomic step; stream-access-store.contract.ts says what is promised. What
 * they may read is access.ts.
 */
export interface StreamAccessStore {
  /** Once: allowing again changes nothing and answers `already`. `unknown` when there is no such organization or user. */
  allow(reader: StreamReader, by: string, at: number): Promise<'allowed' | 'already' | 'unknown'>
  /** False when it was not allowed before. */
  deny(reader: StreamReader): Promise<boolean>
  /** Oldest first. */
  allowed(): Promise<readonly AllowedReader[]>
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
