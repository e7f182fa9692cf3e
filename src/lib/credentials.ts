/** Syntax rules for logins, passwords and access tokens, shared by the configuration and the administration commands. */
import { isLonger } from './is-longer.js'

export interface CredentialRule {
  /** Completes "allowed: ..." in an error message. */
  readonly allowed: string
  test(text: string): boolean
}

// Characters that need no quoting in URLs, CSV and logs; e-mail addresses fit too.
export const loginRule: CredentialRule = {
  allowed: '1 to 64 characters of a-z 0-9 . _ @ -',
  test: (text) => /^[a-z0-9._@-]{1,64}$/.test(text),
}

export const longestEmail = 254

// One @ and a dot after it; only sending mail can prove that the mailbox exists.
export const emailRule: CredentialRule = {
  allowed: `name@host.example, at most ${longestEmail} characters`,
  test: (text) => !isLonger(text, longestEmail) && mailbox.test(text),
}

export const passwordLength = { least: 8, most: 256 }

// Only the length is restricted; the maximum keeps hashing cheap.
export const passwordRule: CredentialRule = {
  allowed: `${passwordLength.least} to ${passwordLength.most} characters`,
  test: (text) => isLonger(text, passwordLength.least - 1) && !isLonger(text, passwordLength.most),
}

// Characters allowed in an HTTP header.
export const gatewaySecretRule: CredentialRule = {
  allowed: '1 to 1000 characters of ASCII without spaces',
  test: (text) => /^[\x21-\x7e]{1,1000}$/.test(text),
}

// Generated tokens have 40 hex characters; tokens from a secret store may be longer.
export const tokenRule: CredentialRule = {
  allowed: '20 to 256 characters of 0-9 A-Z a-z _ -',
  test: (text) => /^[0-9A-Za-z_-]{20,256}$/.test(text),
}

// Excludes characters with a meaning in address lists or headers.
const mailbox = /^[^\s@<>(),;:\\"[\]\p{C}]+@[^\s@<>(),;:\\"[\]\p{C}]+\.[^\s@<>(),;:\\"[\]\p{C}]+$/u
