/** The passkeys of one's own account. Each is a second factor, and signs in alone if it verifies its user. */
import type { Account } from '../accounts/account.js'
import { type Actor, requireOwnToken } from '../accounts/actor.js'
import { audited, type NewAuditEntry } from '../accounts/audit.js'
import type { NewPasskey, Passkey } from '../accounts/passkey-store.js'
import { isGuid, newGuid } from '../values/guid.js'
import { isPlain } from '../values/names.js'
import { invalid, Refusal } from '../values/refusal.js'
import { passkeyAddedMail, passkeyRemovedMail } from './messages.js'
import { confirmPassword, type NotifyDeps, notifyOwner, ownAccount } from './own-account.js'
import {
  type Ceremony,
  canHavePasskeys,
  challengeLifetime,
  confirmOptions,
  confirmSecondFactor,
  credentialsOf,
  newChallenge,
  type PasskeyDeps,
  passkeyRefusals,
  readAnswer,
  relyingParty,
  type SecondProof,
  useChallenge,
  userHandleOf,
} from './passkeys.js'
import { newRecoveryCodeSet } from './second-factor.js'

export interface OwnPasskeyDeps extends PasskeyDeps, NotifyDeps {
  readonly accounts: PasskeyDeps['accounts'] & NotifyDeps['accounts']
  readonly backgroundTasks: PasskeyDeps['backgroundTasks'] & NotifyDeps['backgroundTasks']
}

export const maxPasskeys = 20
export const maxPasskeyName = 60

interface OwnProof extends SecondProof {
  readonly password: string
  /** A secret of the session that asks. */
  readonly browser: string
}

/** Oldest first. */
export async function listOwnPasskeys(deps: OwnPasskeyDeps, actor: Actor): Promise<readonly Passkey[]> {
  requireOwnToken(actor)
  return deps.accounts.passkeys(actor.login)
}

export async function optionsToConfirm(deps: OwnPasskeyDeps, actor: Actor, browser: string) {
  requireOwnToken(actor)
  return confirmOptions(deps, actor.login, browser)
}

// ECDSA with P-256 and RSA, both with SHA-256: every authenticator has one of them.
const algorithms = [-7, -257]

/** For `navigator.credentials.create`, as JSON. */
export async function optionsToAdd(deps: OwnPasskeyDeps, actor: Actor, proof: OwnProof) {
  requireOwnToken(actor)
  if (!canHavePasskeys(deps.config)) throw notHere(deps)
  const account = await confirmPassword(deps, actor, proof.password)
  await confirmSecondFactor(deps, account, proof)
  const { login, name } = account
  const known = await deps.accounts.passkeys(login)
  if (known.length >= maxPasskeys) throw tooMany()
  const { id } = relyingParty(deps)
  return {
    challenge: await newChallenge(deps, adding(account, proof.browser)),
    rp: { id, name: id },
    user: { id: userHandleOf(login), name: login, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeLifetime,
    attestation: 'none',
    excludeCredentials: credentialsOf(known),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  }
}

interface AddedPasskey {
  readonly passkey: Passkey
  /** Of the first second factor; shown only once. */
  readonly recoveryCodes: readonly string[] | undefined
}

/** The password was asked for before, by `optionsToAdd`: without it there is no challenge to answer. */
export async function addOwnPasskey(
  deps: OwnPasskeyDeps,
  actor: Actor,
  given: { readonly name: string; readonly credential: unknown; readonly browser: string },
): Promise<AddedPasskey> {
  requireOwnToken(actor)
  const { login } = actor
  const name = requirePasskeyName(given.name)
  const credential = await checkRegistration(
    deps,
    adding(await ownAccount(deps, actor), given.browser),
    given.credential,
  )
  const passkey = { guid: newGuid('passkey'), login, name, ...credential, createdAt: deps.clock.now() }
  const { codes, hashes } = newRecoveryCodeSet(login)
  const outcome = await audited(
    deps,
    ({ accounts }) => accounts.addPasskey(passkey, maxPasskeys, hashes),
    (answer) => {
      if (answer === 'first-factor') return [added(passkey), { action: 'two_factor_on', login, details: by }]
      return answer === 'added' && added(passkey)
    },
  )
  if (outcome === 'too-many') throw tooMany()
  if (outcome === 'taken') throw new Refusal('CONFLICT', 'This passkey was added before.', { resource: 'passkeys' })
  if (outcome === 'no-user') throw new Error(`the user ${login} adds a passkey but does not exist`)
  notifyOwner(deps, login, (to) => passkeyAddedMail(to, login, name))
  const recoveryCodes = outcome === 'first-factor' ? codes : undefined
  return { passkey: { ...passkey, lastUsedAt: undefined }, recoveryCodes }
}

export async function renameOwnPasskey(
  deps: OwnPasskeyDeps,
  actor: Actor,
  guid: string,
  given: string,
): Promise<Passkey> {
  requireOwnToken(actor)
  const { login } = actor
  if (!isGuid(guid)) throw noPasskey()
  const name = requirePasskeyName(given)
  const renamed = await audited(
    deps,
    ({ accounts }) => accounts.renamePasskey(login, guid, name),
    (done) => done && { action: 'passkey_renamed', login, subject: guid, details: { name } },
  )
  const passkey = renamed && (await deps.accounts.passkeys(login)).find((each) => each.guid === guid)
  if (!passkey) throw noPasskey()
  return passkey
}

/** With the last second factor the recovery codes go, too: then the password alone signs in. */
export async function removeOwnPasskey(
  deps: OwnPasskeyDeps,
  actor: Actor,
  guid: string,
  proof: OwnProof,
): Promise<void> {
  const account = await confirmPassword(deps, actor, proof.password)
  const { login } = account
  const passkey = (await deps.accounts.passkeys(login)).find((each) => each.guid === guid)
  if (!passkey) throw noPasskey()
  await confirmSecondFactor(deps, account, proof)
  const removed: NewAuditEntry = { action: 'passkey_removed', login, subject: guid, details: { name: passkey.name } }
  const outcome = await audited(
    deps,
    ({ accounts }) => accounts.removePasskey(login, guid),
    (answer) => {
      if (answer === 'last-factor') return [removed, { action: 'two_factor_off', login, details: by }]
      return answer === 'removed' && removed
    },
  )
  if (outcome === 'no-passkey') throw noPasskey()
  notifyOwner(deps, login, (to) => passkeyRemovedMail(to, login, passkey.name, outcome === 'last-factor'))
}

const by = { by: 'passkey' }

function added({ login, guid: subject, name }: NewPasskey): NewAuditEntry {
  return { action: 'passkey_added', login, subject, details: { name } }
}

function adding({ login, passwordHash, twoFactor, passkeys }: Account, browser: string): Ceremony {
  return { purpose: 'add', login, browser, standing: JSON.stringify([passwordHash, twoFactor, passkeys]) }
}

type Credential = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

async function checkRegistration(deps: OwnPasskeyDeps, ceremony: Ceremony, credential: unknown): Promise<Credential> {
  const answer = readAnswer(credential)
  if (!answer) throw refusedCredential('invalid')
  const expectedChallenge = await useChallenge(deps, answer, ceremony)
  if (expectedChallenge === undefined) throw refusedCredential('expired')
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(deps)
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(String(answer.response.attestationObject)))
    // Certificates name URLs that the library would fetch. No browser sends them, because they were not asked for.
    const hasCertificates = attestation.get('attStmt').get('x5c') !== undefined
    if (hasCertificates || !['none', 'packed'].includes(attestation.get('fmt'))) throw new Error('not asked for')
    const { registrationInfo } = await verifyRegistrationResponse({
      response: credential as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    })
    if (!registrationInfo) throw new Error('not verified')
    const { id, publicKey, counter, transports } = registrationInfo.credential
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: knownTransports(transports),
    }
  } catch {
    throw refusedCredential('invalid')
  }
}

/** Hints, so others are left out. */
function knownTransports(given: unknown): readonly string[] {
  const known = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']
  return Array.isArray(given) ? known.filter((each) => given.includes(each)) : []
}

function requirePasskeyName(given: string): string {
  const name = given.trim()
  if (name !== '' && isPlain(name, maxPasskeyName)) return name
  throw invalid('name', `Send a name of 1 to ${maxPasskeyName} characters, without control characters.`, 'passkeys')
}

function refusedCredential(why: 'expired' | 'invalid'): Refusal {
  return invalid('credential', passkeyRefusals[why], 'passkeys')
}

function tooMany(): Refusal {
  return new Refusal('CONFLICT', `You have ${maxPasskeys} passkeys. Remove one first.`, { resource: 'passkeys' })
}

function noPasskey(): Refusal {
  return new Refusal('NOT_FOUND', 'You have no such passkey.', { resource: 'passkeys' })
}

function notHere({ config }: OwnPasskeyDeps): Refusal {
  const why = `Browsers have no passkeys for ${config.baseUrl}: baseUrl must begin with https:// and a host name.`
  const message = config.passwordLogin === 'off' ? passkeyRefusals.off : why
  return new Refusal('BAD_REQUEST', message, { resource: 'passkeys' })
}
