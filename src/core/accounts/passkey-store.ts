/**
 * Stores passkeys and the challenges that browsers answer with them. Each method is one atomic step; passkeys.contract.ts
 * tests the promises.
 */
export interface PasskeyStore {
  /** Also deletes those that have expired. */
  addPasskeyChallenge(challenge: PasskeyChallenge): Promise<void>
  /** Of racing callers, one gets true. False when it is unknown, used or expired, or bound to something else. */
  usePasskeyChallenge(challengeHash: string, boundTo: string, now: number): Promise<boolean>
  /**
   * `first-factor`: the user had no second factor until now, and these are the recovery codes. They are ignored otherwise.
   * `taken`: the credential is known, of this user or another. Of racing callers, no more than `limit` add one.
   */
  addPasskey(passkey: NewPasskey, limit: number, recoveryCodeHashes: readonly string[]): Promise<AddedPasskey>
  /** Oldest first. */
  passkeys(login: string): Promise<readonly Passkey[]>
  /** Undefined when it is unknown, or when the user is inactive. */
  passkeyByCredential(credentialId: string): Promise<Passkey | undefined>
  /**
   * Saves the counter and the time. False when the counter did not grow: somebody copied the passkey. Passkeys that are
   * synchronized between devices do not count: their counter stays 0.
   */
  usePasskey(guid: string, counter: number, at: number): Promise<boolean>
  /** False when the user has no such passkey. */
  renamePasskey(login: string, guid: string, name: string): Promise<boolean>
  /** `last-factor`: the user has no second factor any more; the recovery codes are deleted, too. */
  removePasskey(login: string, guid: string): Promise<'removed' | 'last-factor' | 'no-passkey'>
}

export interface Passkey {
  readonly guid: string
  readonly login: string
  readonly name: string
  /** The id that the authenticator gave it, and its public key (COSE); both as base64url. */
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
  /** How the authenticator can be reached, such as `usb`: a hint for browsers. */
  readonly transports: readonly string[]
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
}

export type NewPasskey = Omit<Passkey, 'lastUsedAt'>

export type AddedPasskey = 'added' | 'first-factor' | 'taken' | 'too-many' | 'no-user'

interface PasskeyChallenge {
  readonly challengeHash: string
  /** A hash of what it is for, and of whom. */
  readonly boundTo: string
  readonly at: number
  readonly expiresAt: number
}
