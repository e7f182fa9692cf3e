/**
 * Signing in: login or e-mail address, password and, where it is on, a second factor. Every door (browser, password
 * grant, basic flow) passes here, so that guesses are counted together. It must not know what a session or a token is.
 */
import { hash } from 'node:crypto'
import type { Account, TwoFactor } from '../accounts/account.js'
import type { AccountStore, Budget } from '../accounts/account-store.js'
import { type AuditDeps, note } from '../accounts/audit.js'
import { verifyPassword } from '../accounts/passwords.js'
import { networkOf } from '../values/network.js'
import { isRightCode, type SecondFactorDeps, sendSmsCode } from './second-factor.js'

export interface SignInDeps extends AuditDeps, SecondFactorDeps {
  readonly accounts: AccountStore
}

export interface SignInAttempt {
  /** Login or e-mail address. */
  readonly login: string
  readonly password: string
  readonly code: string | undefined
  /** Where from: guesses are counted by account and by address. */
  readonly address: string
  readonly through: 'browser' | 'password-grant' | 'basic-flow'
}

export type SignInOutcome =
  | { readonly outcome: 'signed-in'; readonly login: string }
  /** The password was right; with SMS the code has been sent (in the basic flow nothing is, and the edge refuses). */
  | { readonly outcome: 'code-wanted'; readonly login: string; readonly by: 'sms' | 'app' }
  /** Login, password or code: never says which. */
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'throttled'; readonly retryAfter: number }

/** With the password, and a code where the account wants one. */
export async function signIn(deps: SignInDeps, attempt: SignInAttempt): Promise<SignInOutcome> {
  const account = await findAccount(deps, attempt.login)
  const budgets = budgetsFor(attempt.login, account, attempt.address)
  const wait = await deps.accounts.countTry(budgets.all, deps.clock.now())
  if (wait !== undefined) return throttled(wait)

  // A login that does not exist costs the same work, so that time does not tell which ones do.
  const right = await verifyPassword(account?.passwordHash ?? hashOfNobody, attempt.password)
  if (!right || !account?.isActive) return wrong(deps, attempt, account)
  return finish(deps, attempt, account, budgets)
}

/** The second step of somebody whose password was right a moment ago. */
export async function signInByCode(
  deps: SignInDeps,
  attempt: Omit<SignInAttempt, 'password'> & { readonly code: string },
): Promise<SignInOutcome> {
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
  if (account.twoFactor) {
    const outcome = await checkSecondFactor(deps, attempt, account, account.twoFactor, budgets)
    if (outcome) return outcome
  }
  await deps.accounts.clearTries(pairKeys(account, attempt))
  await deps.accounts.takeTryBack([budgets.account.key, budgets.address.key])
  const { address, through } = attempt
  await note(deps, { action: 'signed_in', login: account.login, address, details: { through } })
  return { outcome: 'signed-in', login: account.login }
}

/** Guesses of this address at the account, whether its login or its e-mail address was typed. */
function pairKeys({ login, email }: Account, { address }: Pick<SignInAttempt, 'address'>): readonly string[] {
  const names = email === undefined ? [login] : [login, email]
  return names.map((name) => budgetsFor(name, undefined, address).pair.key)
}

/** Undefined also for what can be neither a login nor an address; such text is not put to a store. */
export async function findAccount(
  deps: { readonly accounts: AccountStore },
  loginOrEmail: string,
): Promise<Account | undefined> {
  const text = loginOrEmail.trim().toLowerCase()
  const possible = text !== '' && text.length <= 254 && !/[\s\p{Cc}\p{Cs}]/u.test(text)
  return possible ? deps.accounts.account(text) : undefined
}

/** A key that tells a store neither the login nor the address. */
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
 * Our choice: one address soon stops guessing at one account, and the owner elsewhere does not notice. Only guesses from
 * many addresses close an account for everybody, for an hour at most. An address is not let loose on all accounts either.
 * The first is counted by what was typed, login or e-mail address: if one were closed by guesses at the other, it would be
 * known that both are one account, and that there is one.
 */
function budgetsFor(typed: string, known: Account | undefined, address: string): Budgets {
  const name = typed.trim().toLowerCase()
  const where = networkOf(address)
  const pair = { key: budgetKey('sign-in', name, where), limit: 10, window: 15 * minutes }
  const account = { key: budgetKey('sign-in', known?.login ?? name), limit: 100, window: 60 * minutes }
  const from = { key: budgetKey('sign-in from', where), limit: 100, window: 15 * minutes }
  return { pair, account, address: from, all: [pair, account, from] }
}

/** Our choice: a million codes and three of them right at any time; twenty guesses an hour need years. */
function codeBudget(login: string): Budget {
  return { key: budgetKey('code', login), limit: 20, window: 60 * minutes }
}

/** Undefined when the code was right. */
async function checkSecondFactor(
  deps: SignInDeps,
  attempt: Omit<SignInAttempt, 'password'>,
  account: Account,
  factor: TwoFactor,
  budgets: Budgets,
): Promise<SignInOutcome | undefined> {
  const { login } = account
  const basic = attempt.through === 'basic-flow'
  if (basic || attempt.code === undefined || attempt.code.trim() === '') {
    // The password was right: that was no guess. But earlier ones stay counted, they may have been at the code.
    await deps.accounts.takeTryBack(budgets.all.map(({ key }) => key))
    const wait = basic || factor.by === 'app' ? undefined : await sendSmsCode(deps, login, factor.phone)
    return wait === undefined ? { outcome: 'code-wanted', login, by: factor.by } : throttled(wait)
  }
  const budget = codeBudget(login)
  const wait = await deps.accounts.countTry([budget], deps.clock.now())
  if (wait !== undefined) return throttled(wait)
  if (!(await isRightCode(deps, login, factor, attempt.code))) return wrong(deps, attempt, account)
  await deps.accounts.takeTryBack([budget.key])
  return undefined
}

async function wrong(
  deps: SignInDeps,
  attempt: Pick<SignInAttempt, 'address' | 'through'>,
  account: Account | undefined,
): Promise<SignInOutcome> {
  const { address, through } = attempt
  // What was typed as a login that nobody has may be a password: it is not written down.
  await note(deps, { action: 'sign_in_failed', login: account?.login, address, details: { through } })
  return { outcome: 'wrong' }
}

function throttled(wait: number): SignInOutcome {
  return { outcome: 'throttled', retryAfter: Math.ceil(wait / 1000) }
}

/** Of a random password that was thrown away; with the parameters that `hashPassword` uses. */
export const hashOfNobody =
  '$argon2id$v=19$m=19456,t=2,p=1$fXIKI8528d90SPmVVt7oKg$jXkcyA449QdpA3w+UyWXy1SFhlAFT3SEzR59JOTryas'
