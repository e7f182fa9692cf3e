/**
 * What a passkey (WebAuthn) proves: signing in with it alone or after the password, and confirming a change of one's own
 * account. Options for browsers are made here; `@simplewebauthn/server` checks their answers, and is loaded for these only.
 * Attestation is not asked for: which authenticators people use is their choice.
 */
import { hash, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { isObject } from '../../lib/is-object.js'
import { messageOf } from '../../lib/message-of.js'
import type { Account } from '../accounts/account.js'
import type { AttemptStore, PasswordStore, TwoFactorStore } from '../accounts/account-store.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import type { Passkey, PasskeyStore } from '../accounts/passkey-store.js'
import { networkOf } from '../values/network.js'
import { invalid, type Refusal } from '../values/refusal.js'
import { countTryOrThrow } from './own-account.js'
import { isValidCode, type SecondFactorDeps } from './second-factor.js'
import { budgetKey } from './sign-in.js'

export interface PasskeyDeps extends AuditDeps, SecondFactorDeps {
  readonly accounts: PasskeyStore & PasswordStore & TwoFactorStore & AttemptStore
  readonly config: { readonly baseUrl: string; readonly passwordLogin: 'on' | 'off' }
}

/** Why a passkey is refused. */
type PasskeyRefusal = keyof typeof passkeyRefusals

export const passkeyRefusals = {
  expired: 'This took longer than five minutes, or was done already. Please try again.',
  unknown: 'This passkey is not known here. It may have been removed from the account: sign in another way.',
  unverified:
    'Your device did not check that it is you, by fingerprint, face or PIN. Use another passkey, or a password.',
  copied: 'This passkey seems to be a copy of another one, so it is refused. Sign in another way, and remove it.',
  invalid: 'The answer of the passkey is not valid here. Please try again, or sign in another way.',
  off: 'Passkeys are not used here: people sign in with the identity provider of the service.',
} as const

export type PasskeyOutcome =
  | { readonly outcome: 'signed-in'; readonly login: string }
  /** `detail` is for the log of the operator. */
  | { readonly outcome: 'refused'; readonly why: PasskeyRefusal; readonly detail: string }

/** The browser that asks, and the user whose password was right, if it is the second step. */
interface SignInStep {
  /** A secret of the browser, which no other knows. */
  readonly browser: string
  readonly address: string
  readonly secondStepOf: string | undefined
}

/** Browsers have passkeys for host names only, and by https except on the machine itself. */
export function canHavePasskeys({ baseUrl, passwordLogin }: PasskeyDeps['config']): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost')
  return passwordLogin === 'on' && (protocol === 'https:' || isHere) && isIP(hostname.replace(/^\[|\]$/g, '')) === 0
}

/** For `navigator.credentials.get`, as JSON. */
export async function signInOptions(deps: PasskeyDeps, { browser, address, secondStepOf }: SignInStep) {
  // A whole office may have one address; this stops a program that fills the table.
  await countTryOrThrow(deps, { key: budgetKey('passkeys', networkOf(address)), limit: 1000, window: 15 * 60_000 })
  const isAlone = secondStepOf === undefined
  return requestOptions(deps, { purpose: isAlone ? 'sign-in' : 'second-step', login: secondStepOf, browser })
}

/** Alone it must verify the user. After the password having it is enough. */
export async function signInByPasskey(
  deps: PasskeyDeps,
  { browser, address, secondStepOf, credential }: SignInStep & { readonly credential: unknown },
): Promise<PasskeyOutcome> {
  // Whoever the provider keeps out must not get in beside it.
  if (deps.config.passwordLogin === 'off') return refused('off', 'passwordLogin is off')
  const purpose = secondStepOf === undefined ? 'sign-in' : 'second-step'
  const checked = await checkAssertion(deps, credential, { purpose, login: secondStepOf, browser })
  const login = checked.passkey?.login ?? secondStepOf
  const through = 'passkey'
  if ('why' in checked) {
    const details = { through, reason: checked.why }
    // Anybody can send nonsense; the log is for what concerns a user.
    if (login !== undefined) await addAuditEntry(deps, { action: 'sign_in_failed', login, address, details })
    return refused(checked.why, checked.detail)
  }
  await addAuditEntry(deps, { action: 'signed_in', login, address, details: { through } })
  return { outcome: 'signed-in', login: checked.passkey.login }
}

/** Proves beside the password that it is the owner, once there is a second factor: by a code, or by a passkey. */
export interface SecondProof {
  readonly code?: string | undefined
  /** The answer of the browser to `confirmOptions`. */
  readonly passkey?: unknown
  readonly browser?: string | undefined
}

/** For `navigator.credentials.get`, as JSON. */
export function confirmOptions(deps: PasskeyDeps, login: string, browser: string) {
  return requestOptions(deps, { purpose: 'confirm', login, browser })
}

/** After the password, which a stolen session or token does not know. Does nothing without a second factor. */
export async function confirmSecondFactor(deps: PasskeyDeps, account: Account, given: SecondProof): Promise<void> {
  const { login, twoFactor, passkeys } = account
  if (!twoFactor && passkeys === 0) return
  if (given.passkey !== undefined) {
    const of = { purpose: 'confirm', login, browser: given.browser ?? '' } as const
    const checked = await checkAssertion(deps, given.passkey, of)
    if ('why' in checked) throw invalid('passkey', passkeyRefusals[checked.why], 'users')
    return
  }
  if (given.code === undefined) throw invalid('code', 'Send a code, or confirm with a passkey.', 'users')
  await countTryOrThrow(deps, ownCodeBudget(login))
  if (!(await isValidCode(deps, login, twoFactor, given.code))) throw wrongCode()
}

export function ownCodeBudget(login: string) {
  return { key: budgetKey('own code', login), limit: 20, window: 3_600_000 }
}

export function wrongCode(): Refusal {
  return invalid('code', 'The code is wrong, was already used, or has expired.', 'users')
}

// Challenges

/** What the answer of a browser is for. An answer to one is of no use for another, nor to another user or browser. */
export interface Ceremony {
  readonly purpose: 'sign-in' | 'second-step' | 'confirm' | 'add'
  readonly login: string | undefined
  readonly browser: string
  /** How the user signs in: a change of it ends what was begun before, perhaps by a thief. */
  readonly standing?: string
}

export const challengeLifetime = 5 * 60_000

export async function newChallenge(deps: PasskeyDeps, of: Ceremony): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  const at = deps.clock.now()
  const stored = { challengeHash: hash('sha256', challenge), boundTo: boundTo(of), at }
  await deps.accounts.addPasskeyChallenge({ ...stored, expiresAt: at + challengeLifetime })
  return challenge
}

/** The challenge that the answer of a browser names, which is used up; undefined when it was not given for this. */
export async function useChallenge(deps: PasskeyDeps, answer: Answer, of: Ceremony): Promise<string | undefined> {
  const { challenge } = answer
  const used = await deps.accounts.usePasskeyChallenge(hash('sha256', challenge), boundTo(of), deps.clock.now())
  return used ? challenge : undefined
}

function boundTo({ purpose, login = '', browser, standing = '' }: Ceremony): string {
  return hash('sha256', ['passkey', purpose, login, browser, standing].join('\n'))
}

/** From the base URL, never from the Host header. */
export function relyingParty({ config }: Pick<PasskeyDeps, 'config'>): {
  readonly id: string
  readonly origin: string
} {
  const { hostname, origin } = new URL(config.baseUrl)
  return { id: hostname, origin }
}

/** What authenticators call the user. It says nothing to anybody else. */
export function userHandleOf(login: string): string {
  return hash('sha256', `passkey user\n${login}`, 'base64url')
}

async function requestOptions(deps: PasskeyDeps, of: Ceremony) {
  const { purpose, login } = of
  const known = login === undefined ? [] : await deps.accounts.passkeys(login)
  return {
    challenge: await newChallenge(deps, of),
    rpId: relyingParty(deps).id,
    timeout: challengeLifetime,
    userVerification: purpose === 'sign-in' ? 'required' : 'preferred',
    allowCredentials: credentialsOf(known),
  }
}

export function credentialsOf(passkeys: readonly Passkey[]) {
  return passkeys.map(({ credentialId, transports }) => ({ type: 'public-key', id: credentialId, transports }))
}

// Answers of browsers

/** What `toJSON` of a credential gives, as far as this service reads it itself. */
interface Answer {
  readonly id: string
  readonly challenge: string
  readonly response: Readonly<Record<string, unknown>>
}

/** Undefined for anything else. */
export function readAnswer(given: unknown): Answer | undefined {
  if (!isObject(given) || typeof given.id !== 'string' || !isObject(given.response)) return undefined
  if (!/^[\w-]+$/.test(given.id)) return undefined
  const { id, response } = given
  if (typeof response.clientDataJSON !== 'string') return undefined
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
    return typeof challenge === 'string' ? { id, challenge, response } : undefined
  } catch {
    return undefined
  }
}

type Checked =
  | { readonly passkey: Passkey }
  | { readonly why: PasskeyRefusal; readonly detail: string; readonly passkey?: Passkey }

async function checkAssertion(deps: PasskeyDeps, given: unknown, of: Ceremony): Promise<Checked> {
  const answer = readAnswer(given)
  if (!answer) return { why: 'invalid', detail: 'it is not the JSON of a credential' }
  const expectedChallenge = await useChallenge(deps, answer, of)
  if (expectedChallenge === undefined) {
    return { why: 'expired', detail: 'the challenge is unknown, used or expired, or is another browser’s' }
  }
  const passkey = await deps.accounts.passkeyByCredential(answer.id)
  if (!passkey || (of.login !== undefined && of.login !== passkey.login)) {
    return { why: 'unknown', detail: 'there is no such passkey, it is another user’s, or the user is deactivated' }
  }
  const { userHandle } = answer.response
  const isTheirs = userHandle === undefined || userHandle === null || userHandle === userHandleOf(passkey.login)
  if (!isTheirs) return { why: 'invalid', detail: 'the user handle is that of another user', passkey }
  const verified = await verify(deps, given, expectedChallenge, passkey)
  if (typeof verified === 'string') return { why: 'invalid', detail: verified, passkey }
  if (of.purpose === 'sign-in' && !verified.userVerified) {
    return { why: 'unverified', detail: 'the user was not verified', passkey }
  }
  return useOnce(deps, passkey, verified.newCounter)
}

/** A text says what is wrong. */
async function verify(deps: PasskeyDeps, given: unknown, expectedChallenge: string, passkey: Passkey) {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(deps)
  const key = { id: passkey.credentialId, publicKey: Buffer.from(passkey.publicKey, 'base64url') }
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: given as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      // The store compares the counter, in the step that saves it.
      credential: { ...key, counter: 0 },
      requireUserVerification: false,
    })
    return verified ? authenticationInfo : 'the signature is wrong'
  } catch (error) {
    return messageOf(error)
  }
}

async function useOnce(deps: PasskeyDeps, passkey: Passkey, counter: number): Promise<Checked> {
  if (await deps.accounts.usePasskey(passkey.guid, counter, deps.clock.now())) return { passkey }
  const { login, guid: subject, name } = passkey
  await addAuditEntry(deps, { action: 'passkey_refused', login, subject, details: { name } })
  return { why: 'copied', detail: `the counter went back to ${counter}`, passkey }
}

function refused(why: PasskeyRefusal, detail: string): PasskeyOutcome {
  return { outcome: 'refused', why, detail }
}
