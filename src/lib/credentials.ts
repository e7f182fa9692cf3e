/**
 * What logins, passwords and access tokens look like. Configuration and administration both check them and must agree.
 */
import { isLonger } from './is-longer.js'

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

export const longestEmail = 254

// Our choice: one @ and a dot behind it; whether anybody reads mail there only mail can tell.
export const emailRule: CredentialRule = {
  allowed: `name@host.example, at most ${longestEmail} characters`,
  test: (text) => !isLonger(text, longestEmail) && mailbox.test(text),
}

export const passwordLength = { least: 8, most: 256 }

// Our choice: length is what counts; the upper end keeps hashing cheap.
export const passwordRule: CredentialRule = {
  allowed: `${passwordLength.least} to ${passwordLength.most} characters`,
  test: (text) => isLonger(text, passwordLength.least - 1) && !isLonger(text, passwordLength.most),
}

// What may stand in an HTTP header.
export const gatewaySecretRule: CredentialRule = {
  allowed: '1 to 1000 characters of ASCII without spaces',
  test: (text) => /^[\x21-\x7e]{1,1000}$/.test(text),
}

// Generated tokens are 40 hex characters; given ones may also be longer words from a secret store.
export const tokenRule: CredentialRule = {
  allowed: '20 to 256 characters of 0-9 A-Z a-z _ -',
  test: (text) => /^[0-9A-Za-z_-]{20,256}$/.test(text),
}

// Nothing that means something else in a list of addresses or in a header.
const mailbox = /^[^\s@<>(),;:\\"[\]\p{C}]+@[^\s@<>(),;:\\"[\]\p{C}]+\.[^\s@<>(),;:\\"[\]\p{C}]+$/u
