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

// Our choice: one @ and a dot behind it; whether anybody reads mail there only mail can tell.
export const emailRule: CredentialRule = {
  allowed: 'name@host.example, at most 254 characters',
  test: (text) => text.length <= 254 && mailbox.test(text),
}

// Our choice: length is what counts; the upper end keeps hashing cheap.
export const passwordRule: CredentialRule = {
  allowed: '8 to 256 characters',
  test: (text) => text.length >= 8 && text.length <= 256,
}

// What may stand in an HTTP header.
export const gatewaySecretRule: CredentialRule = {
  allowed: '1 to 1000 characters of ASCII without spaces',
  test: (text) => /^[\x21-\x7e]{1,1000}$/.test(text),
}

// Our choice: generated tokens are 40 hex characters (gaps 5); given ones may also be longer words from a secret store.
export const tokenRule: CredentialRule = {
  allowed: '20 to 256 characters of 0-9 A-Z a-z _ -',
  test: (text) => /^[0-9A-Za-z_-]{20,256}$/.test(text),
}

// Nothing that means something else in a list of addresses or in a header.
const mailbox = /^[^\s@<>(),;:\\"[\]\p{C}]+@[^\s@<>(),;:\\"[\]\p{C}]+\.[^\s@<>(),;:\\"[\]\p{C}]+$/u
