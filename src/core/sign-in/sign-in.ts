/**
 * Signing in with login or e-mail address, password and, if enabled, a second factor. All ways to sign in (browser,
 * password grant, basic flow) share this, so failed attempts are counted together. Must not know sessions or tokens.
 */
import { hash } from 'node:crypto'
import type { Account, TwoFactor } from '../accounts/account.js'
import type { AttemptStore, Budget, PasswordStore, TwoFactorStore } from '../accounts/account-store.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { verifyPassword } from '../accounts/secrets.js'
import { networkOf } from '../values/network.js'
import { isValidCode, type SecondFactorDeps, sendSmsCode } from './second-factor.js'

export interface SignInDeps extends AuditDeps, SecondFactorDeps {
  readonly accounts: PasswordStore & TwoFactorStore & AttemptStore
  readonly config?: { readonly passwordLogin: 'on' | 'off' }
}

export interface SignInAttempt {
  /** Login or e-mail address. */
  readonly login: string
  readonly password: string
  readonly code: string | undefined
  /** The IP address: attempts are counted by account and by network. */
  readonly address: string
  readonly through: 'browser' | 'password-grant' | 'basic-flow'
}

/** What the second step asks for; passkeys and recovery codes are always possible, too. */
export type SecondStep = TwoFactor['by'] | 'passkey'

export type SignInOutcome =
  | { readonly outcome: 'signed-in'; readonly login: string }
  /** The password was right. An SMS code was sent if `sms` says so; `retryAfter` is the seconds until the next one may be. */
  | {
      readonly outcome: 'code-wanted'
      readonly login: string
      readonly by: SecondStep
      readonly sms?: 'sent' | 'recent' | 'failed'
      readonly retryAfter?: number
    }
  /** Wrong login, password or code; does not reveal which. */
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'throttled'; readonly retryAfter: number }
  /** `passwordLogin` is off. */
  | { readonly outcome: 'no-passwords' }

/** Checks the password, and the code if the account requires one. */
export async function signIn(deps: SignInDeps, attempt: SignInAttempt): Promise<SignInOutcome> {
  // Refused before it is compared, so that it is no way to try passwords.
  if (deps.config?.passwordLogin === 'off') return { outcome: 'no-passwords' }
  const account = await findAccount(deps, attempt.login)
  const budgets = budgetsFor(attempt.login, account, attempt.address)
  const wait = await deps.accounts.countTry(budgets.all, deps.clock.now())
  if (wait !== undefined) return throttled(wait)

  // An unknown login costs the same work, so the time does not reveal which logins exist.
  const right = await verifyPassword(account?.passwordHash ?? unknownAccountHash, attempt.password)
  if (!right || !account?.isActive) return wrong(deps, attempt, account)
  return finish(deps, attempt, account, budgets)
}

/** The second step, after the password was right. */
export async function signInByCode(
  deps: SignInDeps,
  attempt: Omit<SignInAttempt, 'password'> & { readonly code: string },
): Promise<SignInOutcome> {
  if (deps.config?.passwordLogin === 'off') return { outcome: 'no-passwords' }
  const account = await deps.accounts.account(attempt.login)
  const budgets = budgetsFor(attempt.login, account, attempt.address)
  const wait = await deps.accounts.countTry(budgets.all, deps.clock.now())
  if (wait !== undefined) return throttled(wait)
  if (!account?.isActive) return wrong(deps, attempt, account)
  return finish(deps, attempt, account, budgets)
}

async function finish(
  deps: SignInDeps,
  attempt: Omit<SignInAttempt, 'password'>,
  account: Account,
  budgets: Budgets,
): Promise<SignInOutcome> {
  if (account.twoFactor || account.passkeys > 0) {
    const outcome = await checkSecondFactor(deps, attempt, account, account.twoFactor, budgets)
    if (outcome) return outcome
  }
  await deps.accounts.clearTries(pairKeys(account, attempt))
  await deps.accounts.takeTryBack([budgets.account.key, budgets.address.key])
  const { address, through } = attempt
  await addAuditEntry(deps, { action: 'signed_in', login: account.login, address, details: { through } })
  return { outcome: 'signed-in', login: account.login }
}

/** The budget keys of this network and the account, by login and by e-mail address. */
function pairKeys({ login, email }: Account, { address }: Pick<SignInAttempt, 'address'>): readonly string[] {
  const names = email === undefined ? [login] : [login, email]
  return names.map((name) => budgetsFor(name, undefined, address).pair.key)
}

/** Undefined also for invalid syntax, without a store lookup. */
export async function findAccount(
  deps: { readonly accounts: PasswordStore & AttemptStore },
  loginOrEmail: string,
): Promise<Account | undefined> {
  const text = loginOrEmail.trim().toLowerCase()
  const isValid = text !== '' && text.length <= 254 && !/[\s\p{Cc}\p{Cs}]/u.test(text)
  return isValid ? deps.accounts.account(text) : undefined
}

/** A hashed key, so the store contains neither the login nor the IP address. */
export function budgetKey(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'))
}

interface Budgets {
  readonly pair: Budget
  readonly account: Budget
  readonly address: Budget
  readonly all: readonly Budget[]
}

const minutes = 60_000

/**
 * One network is soon throttled for one account, without affecting the owner elsewhere. Only attempts from many networks
 * lock an account for everybody, for at most an hour. One network is also limited across all accounts. The first budget
 * is counted by the typed name, login or e-mail address: if attempts with one locked the other, they would reveal that
 * both belong to one account, and that it exists.
 */
function budgetsFor(typed: string, known: Account | undefined, address: string): Budgets {
  const name = typed.trim().toLowerCase()
  const network = networkOf(address)
  const pair = { key: budgetKey('sign-in', name, network), limit: 10, window: 15 * minutes }
  const account = { key: budgetKey('sign-in', known?.login ?? name), limit: 100, window: 60 * minutes }
  const from = { key: budgetKey('sign-in from', network), limit: 100, window: 15 * minutes }
  return { pair, account, address: from, all: [pair, account, from] }
}

/** There are a million codes, of which three are valid at any time; with twenty attempts an hour, guessing takes years. */
function codeBudget(login: string): Budget {
  return { key: budgetKey('code', login), limit: 20, window: 60 * minutes }
}

/** Undefined when the code is right. */
async function checkSecondFactor(
  deps: SignInDeps,
  attempt: Omit<SignInAttempt, 'password'>,
  account: Account,
  factor: TwoFactor | undefined,
  budgets: Budgets,
): Promise<SignInOutcome | undefined> {
  const { login } = account
  const basic = attempt.through === 'basic-flow'
  if (basic || attempt.code === undefined || attempt.code.trim() === '') {
    // The password was right, so do not count this attempt. Earlier ones stay counted: they may have been wrong codes.
    await deps.accounts.takeTryBack(budgets.all.map(({ key }) => key))
    const wanted = { outcome: 'code-wanted', login, by: factor?.by ?? 'passkey' } as const
    if (basic || factor?.by !== 'sms') return wanted
    const sent = await sendSmsCode(deps, login, factor.phone)
    if (sent.sms === 'too-many') return throttled(sent.wait)
    return { ...wanted, sms: sent.sms, ...('wait' in sent && { retryAfter: seconds(sent.wait) }) }
  }
  const budget = codeBudget(login)
  const wait = await deps.accounts.countTry([budget], deps.clock.now())
  if (wait !== undefined) return throttled(wait)
  if (!(await isValidCode(deps, login, factor, attempt.code))) return wrong(deps, attempt, account)
  await deps.accounts.takeTryBack([budget.key])
  return undefined
}

async function wrong(
  deps: SignInDeps,
  attempt: Pick<SignInAttempt, 'address' | 'through'>,
  account: Account | undefined,
): Promise<SignInOutcome> {
  const { address, through } = attempt
  // Do not log an unknown login: it may be a password typed into the wrong field.
  await addAuditEntry(deps, { action: 'sign_in_failed', login: account?.login, address, details: { through } })
  return { outcome: 'wrong' }
}

function throttled(wait: number): SignInOutcome {
  return { outcome: 'throttled', retryAfter: seconds(wait) }
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000)
}

/** Users whom a provider created never had one, unless the operator set it. */
export function hasPassword({ passwordHash }: Account): boolean {
  return passwordHash !== unknownAccountHash
}

/**
 * The hash of a discarded random password, with the parameters of `hashPassword`. Stored for users without a password: when
 * it changes, `hasPassword` must know the former one too.
 */
export const unknownAccountHash =
  '$argon2id$v=19$m=19456,t=2,p=1$fXIKI8528d90SPmVVt7oKg$jXkcyA449QdpA3w+UyWXy1SFhlAFT3SEzR59JOTryas'
