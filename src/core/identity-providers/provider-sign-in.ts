/** Signing in with an identity provider: begun here, decided there, finished here. */
import { createHmac, hash, randomBytes } from 'node:crypto'
import type { AttemptStore, PasswordStore, SessionStore, UserStore } from '../accounts/account-store.js'
import { type AuditDeps, addAuditEntry, audited, type NewAuditEntry } from '../accounts/audit.js'
import type { AccessOf, Entered, IdentityStore, ProvidedSession, RoleChange } from '../accounts/identity-store.js'
import type { ProvisioningStore } from '../accounts/provisioning-store.js'
import { budgetKey, unknownAccountHash } from '../sign-in/sign-in.js'
import { networkOf } from '../values/network.js'
import { accessFor, groupsOf, loginFor, nameFor, needsGroups, textClaim, verifiedEmail } from './access.js'
import {
  type AuthorizationRequest,
  callbackUrl,
  type IdentityProvider,
  linksByAddress,
  type ProviderAnswer,
  ProviderFailure,
  plainIssuer,
} from './provider.js'

export interface ProviderDeps extends AuditDeps {
  readonly accounts: IdentityStore & ProvisioningStore & UserStore & AttemptStore & SessionStore & PasswordStore
  readonly identityProviders: readonly IdentityProvider[]
  readonly config: { readonly baseUrl: string }
  /** Clears caches of permissions. */
  readonly tokens: { clear(): void }
}

/** Why somebody is not signed in. */
export type ProviderRefusal =
  | 'throttled'
  /** The answer belongs to no sign-in that this browser has begun, or came twice. */
  | 'expired'
  | 'cancelled'
  | 'away'
  | 'invalid'
  | 'not-allowed'
  | 'too-many-groups'
  | 'unknown'
  /** As `unknown`; nobody has confirmed the address, which would do. */
  | 'unconfirmed'
  | 'inactive'
  | 'no-group'

export type ProviderOutcome =
  | {
      readonly outcome: 'signed-in'
      readonly login: string
      readonly next: string
      readonly provided: ProvidedSession
    }
  /** `detail` is for the log of the operator. */
  | { readonly outcome: 'refused'; readonly why: ProviderRefusal; readonly detail: string }

// Long enough to find a phone for the second factor of the provider.
const lifetime = 15 * 60_000

export interface BeginInput {
  /** A secret of the browser, which no other knows. */
  readonly browser: string
  readonly next: string
  readonly address: string
}

/** Returns the URL of the provider to go to. */
export async function beginProviderSignIn(
  deps: ProviderDeps,
  { settings, client }: IdentityProvider,
  { browser, next, address }: BeginInput,
): Promise<{ readonly outcome: 'begun'; readonly url: string } | Extract<ProviderOutcome, { outcome: 'refused' }>> {
  const at = deps.clock.now()
  // A whole office may have one address; this stops a program that fills the table.
  const budget = { key: budgetKey('provider', networkOf(address)), limit: 1000, window: lifetime }
  if ((await deps.accounts.countTry([budget], at)) !== undefined) return refused('throttled', 'too many sign-ins')
  const state = randomBytes(32).toString('base64url')
  try {
    const url = await client.authorizationUrl(requestOf(deps, settings.id, browser, state))
    await deps.accounts.addProviderSignIn({
      stateHash: hash('sha256', state),
      browserHash: browserHash(browser),
      provider: settings.id,
      next,
      at,
      expiresAt: at + lifetime,
    })
    return { outcome: 'begun', url }
  } catch (error) {
    return failed(error)
  }
}

export interface FinishInput {
  readonly browser: string | undefined
  /** The query of the callback. */
  readonly parameters: URLSearchParams
  readonly address: string
}

export async function finishProviderSignIn(
  deps: ProviderDeps,
  provider: IdentityProvider,
  { browser, parameters, address }: FinishInput,
): Promise<ProviderOutcome> {
  const { settings, client } = provider
  const state = parameters.get('state')
  if (!state || browser === undefined) return refused('expired', 'the callback has no state, or the browser no cookie')
  const stateHash = hash('sha256', state)
  const begun = await deps.accounts.useProviderSignIn(stateHash, browserHash(browser), deps.clock.now())
  if (!begun) return refused('expired', 'the state is unknown, used or expired, or belongs to another browser')
  if (begun.provider !== settings.id) {
    return refused('invalid', `the sign-in was begun with ${begun.provider} and came back to ${settings.id}`)
  }
  try {
    const answer = await client.redeem(parameters, requestOf(deps, settings.id, browser, state))
    const entered = await enter(deps, provider, answer)
    const through = settings.id
    if (entered.outcome === 'refused') {
      const reason = entered.why
      const failure = { action: 'sign_in_failed', login: entered.login, address, details: { through, reason } } as const
      await addAuditEntry(deps, failure)
      return refused(entered.why, entered.detail)
    }
    const { login } = entered
    await addAuditEntry(deps, { action: 'signed_in', login, address, details: { through } })
    const { issuer, subject, providerSession, tokens } = answer
    return { outcome: 'signed-in', login, next: begun.next, provided: { issuer, subject, providerSession, tokens } }
  } catch (error) {
    return failed(error)
  }
}

type Admission =
  | { readonly outcome: 'entered'; readonly login: string }
  | {
      readonly outcome: 'refused'
      readonly why: ProviderRefusal
      readonly detail: string
      readonly login: string | undefined
    }

/** The user of the answer with the roles that follow from its groups. Whoever may not sign in loses what the provider gave. */
export async function enter(
  deps: ProviderDeps,
  { settings }: IdentityProvider,
  { issuer, subject, claims }: ProviderAnswer,
): Promise<Admission> {
  const found = groupsOf(claims, settings)
  if (found === 'too-many' && needsGroups(settings)) {
    const detail = 'the provider left out the groups, because there are too many (docs/sso.md#entra)'
    return { outcome: 'refused', why: 'too-many-groups', detail, login: undefined }
  }
  const groups = found === 'too-many' ? [] : found
  const accessOf = await accessOfProvider(deps, settings)
  const access = accessOf(groups)
  const login = loginFor(claims, settings)
  const entry = {
    issuer,
    subject,
    externalId: settings.scimIdClaim === 'sub' ? subject : textClaim(claims, settings.scimIdClaim),
    login,
    name: nameFor(claims, login),
    email: verifiedEmail(claims),
    link: access.mayEnter && linksByAddress(settings),
    trustedIssuers: deps.identityProviders
      .filter((each) => linksByAddress(each.settings))
      .map((each) => plainIssuer(each.settings.issuer)),
    create: access.mayEnter && settings.createUsers,
    ...access,
    accessOf,
    passwordHash: unknownAccountHash,
    at: deps.clock.now(),
  }
  const entered = await audited(
    deps,
    ({ accounts }) => accounts.enterByIdentity(entry),
    (answer) => entriesFor(answer, settings.id, subject),
  )
  if ('changes' in entered && entered.changes.length > 0) deps.tokens.clear()
  if (entered.outcome === 'entered') return { outcome: 'entered', login: entered.login }
  const known = 'login' in entered ? entered.login : undefined
  if (known !== undefined) await shutOut(deps, settings, { issuer, subject, login: known })
  const isUnconfirmed = entered.outcome === 'unknown' && entry.link && entry.email !== undefined
  const isKeptOut = known === undefined && !access.mayEnter
  const why = isKeptOut ? 'not-allowed' : isUnconfirmed ? 'unconfirmed' : entered.outcome
  const detail = `${why}: login claim ${login}, ${groups.length} groups`
  return { outcome: 'refused', why, detail, login: known }
}

/** Ends the sessions of an identity, and the tokens of its user where the settings say so. */
export async function shutOut(
  deps: ProviderDeps,
  { id, endTokens }: Pick<IdentityProvider['settings'], 'id' | 'endTokens'>,
  { issuer, subject, login }: { readonly issuer: string; readonly subject: string; readonly login: string },
): Promise<void> {
  const which = { issuer, subject, begunUntil: deps.clock.now(), tokensOf: endTokens ? login : undefined }
  const entry = { action: 'sessions_ended', login, details: { through: id } } as const
  await audited(
    deps,
    ({ accounts }) => accounts.endProviderSessions(which),
    ({ logins, revoked }) => [...(logins.length > 0 ? [entry] : []), ...tokenEntries(revoked, login, id)],
  )
  deps.tokens.clear()
}

export function tokenEntries(guids: readonly string[], login: string, through: string): readonly NewAuditEntry[] {
  return guids.map((subject) => ({ action: 'token_revoked', login, subject, details: { through } }))
}

export async function accessOfProvider(
  deps: Pick<ProviderDeps, 'accounts'>,
  settings: IdentityProvider['settings'],
): Promise<AccessOf> {
  const [groupGuid, organizationGuid] = [await deps.accounts.firstGroup(), await deps.accounts.firstOrganization()]
  if (groupGuid === undefined || organizationGuid === undefined) throw new Error('there is no group yet')
  return accessFor(settings, { groupGuid, organizationGuid })
}

function entriesFor(entered: Entered, through: string, identity: string): readonly NewAuditEntry[] {
  if (!('changes' in entered) || entered.login === undefined) return []
  const { login } = entered
  const details = { through, identity }
  const how = entered.outcome === 'entered' ? entered.how : 'known'
  const entry: NewAuditEntry[] =
    how === 'created'
      ? [{ action: 'user_added', login, details }]
      : how === 'linked'
        ? [{ action: 'identity_linked', login, details }]
        : []
  return [...entry, ...entered.changes.map((change) => roleEntry(change, login, through))]
}

export function roleEntry({ guid, organizationGuid, role }: RoleChange, login: string, through: string): NewAuditEntry {
  const common = { login, organizationGuid, subject: guid }
  if (role === undefined) return { action: 'member_removed', ...common, details: { through } }
  return { action: 'role_given', ...common, details: { through, role } }
}

/** Derived from the secret of the browser: the database alone does not reveal them, and no other browser has them. */
function requestOf({ config }: ProviderDeps, id: string, browser: string, state: string): AuthorizationRequest {
  const derived = (use: string) => createHmac('sha256', browser).update(`provider ${use}\n${state}`).digest('base64url')
  const redirectUri = callbackUrl(config.baseUrl, id)
  return { redirectUri, state, nonce: derived('nonce'), verifier: derived('verifier') }
}

function browserHash(browser: string): string {
  return hash('sha256', `provider sign-in\n${browser}`)
}

function failed(error: unknown): Extract<ProviderOutcome, { outcome: 'refused' }> {
  if (!(error instanceof ProviderFailure)) throw error
  const isUnusable = error.reason === 'ended' || error.reason === 'misconfigured'
  return refused(isUnusable ? 'invalid' : error.reason, error.message)
}

function refused(why: ProviderRefusal, detail: string) {
  return { outcome: 'refused', why, detail } as const
}
