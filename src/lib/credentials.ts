/**
 * What logins, passwords and access tokens look like. Configuration and administration both check them and must agree.
 */
export interface CredentialRule {
  /** Completes "allowed: ..." in a message. */
  readonly allowed: string
  test(text: string): boolean
}

// Our choice: what fits in URLs, CSV and logs without quoting; e-mail addresses fit too.
export const loginRule: CredentialRule = {
  allowed: '1 to 64 characters of a-z 0-9 . _ @ -',
  test: (text) => /^[a-z0-9._@-]{1,64}$/.test(text),
}

// Our choice: length is what counts; the upper end keeps hashing cheap.
export const passwordRule: CredentialRule = {
  allowed: '8 to 256 characters',
  test: (text) => text.length >= 8 && text.length <= 256,
}

// Our choice: generated tokens are 40 hex characters (gaps 5); given ones may also be longer words from a secret store.
export const tokenRule: CredentialRule = {
  allowed: '20 to 256 characters of 0-9 A-Z a-z _ -',
  test: (text) => /^[0-9A-Za-z_-]{20,256}$/.test(text),
}
