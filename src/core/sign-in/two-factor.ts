/** Turning the second factor on and off. A new factor is active only after a code has confirmed it. */
import type { Account } from '../accounts/account.js'
import { type Actor, requireOwnToken } from '../accounts/actor.js'
import { audited } from '../accounts/audit.js'
import { invalid, Refusal } from '../values/refusal.js'
import { recoveryCodesMail, twoFactorOffMail, twoFactorOnMail } from './messages.js'
import { confirmPassword, countTryOrThrow, type NotifyDeps, notifyOwner, ownAccount, tooOften } from './own-account.js'
import { confirmSecondFactor, ownCodeBudget, type PasskeyDeps, type SecondProof, wrongCode } from './passkeys.js'
import {
  isValidSixDigitCode,
  newRecoveryCodeSet,
  newTotpSecret,
  otpauthUri,
  sendSmsCode,
  stepOfCode,
} from './second-factor.js'

export interface TwoFactorDeps extends PasskeyDeps, NotifyDeps {
  readonly accounts: PasskeyDeps['accounts']
  readonly backgroundTasks: PasskeyDeps['backgroundTasks'] & NotifyDeps['backgroundTasks']
}

export interface TwoFactorState {
  readonly by: 'sms' | 'app' | undefined
  /** The last digits, so the owner can recognise the phone. */
  readonly phoneHint: string | undefined
  readonly recoveryCodesLeft: number
  readonly passkeys: number
}

export async function readTwoFactor(deps: TwoFactorDeps, actor: Actor): Promise<TwoFactorState> {
  requireOwnToken(actor)
  const { twoFactor, passkeys } = await ownAccount(deps, actor)
  return {
    by: twoFactor?.by,
    phoneHint: twoFactor?.by === 'sms' ? twoFactor.phone.slice(-3) : undefined,
    recoveryCodesLeft: await deps.accounts.recoveryCodesLeft(actor.login),
    passkeys,
  }
}

// Long enough to find the phone.
const setUpLifetime = 15 * 60_000

export async function startTotp(
  deps: TwoFactorDeps,
  actor: Actor,
  input: SecondProof & { readonly password: string },
): Promise<{ readonly secret: string; readonly otpauthUri: string }> {
  const { login } = await confirmFirstCode(deps, actor, input)
  const secret = newTotpSecret()
  await deps.accounts.beginTwoFactor(login, { by: 'app', secret }, deps.clock.now() + setUpLifetime)
  return { secret, otpauthUri: otpauthUri(new URL(deps.config.baseUrl).host, login, secret) }
}

export async function startSms(
  deps: TwoFactorDeps,
  actor: Actor,
  input: SecondProof & { readonly password: string; readonly phone: string },
): Promise<{ readonly phone: string }> {
  requireOwnToken(actor)
  const phone = readPhone(input.phone)
  if (!deps.sms) {
    const message = 'This service cannot send SMS. Use an authenticator app, or have the operator set smsGatewayUrl.'
    throw new Refusal('BAD_REQUEST', message, { resource: 'users' })
  }
  const { login } = await confirmFirstCode(deps, actor, input)
  await deps.accounts.beginTwoFactor(login, { by: 'sms', phone }, deps.clock.now() + setUpLifetime)
  // A code that was just sent to another number must not confirm this one.
  await deps.accounts.forgetSmsCode(login)
  await sendOrThrow(deps, login, phone)
  return { phone }
}

/** Accepts a passkey, or any code of the factor, including a recovery code. */
export async function turnOff(
  deps: TwoFactorDeps,
  actor: Actor,
  input: SecondProof & { readonly password: string },
): Promise<void> {
  const account = await confirmPassword(deps, actor, input.password)
  if (!account.twoFactor) throw notOn()
  await confirmSecondFactor(deps, account, input)
  const { login, passkeys } = account
  const off = await audited(
    deps,
    ({ accounts }) => accounts.turnTwoFactorOff(login),
    (done) => done && { action: 'two_factor_off', login },
  )
  if (!off) throw notOn()
  notifyOwner(deps, login, (to) => twoFactorOffMail(to, login, passkeys > 0))
}

/** Replaces all former codes; returned only once. */
export async function newRecoveryCodes(
  deps: TwoFactorDeps,
  actor: Actor,
  input: SecondProof & { readonly password: string },
): Promise<readonly string[]> {
  const account = await confirmPassword(deps, actor, input.password)
  if (!account.twoFactor && account.passkeys === 0) throw notOn()
  await confirmSecondFactor(deps, account, input)
  const { login } = actor
  const { codes, hashes } = newRecoveryCodeSet(login)
  await audited(
    deps,
    ({ accounts }) => accounts.replaceRecoveryCodes(login, hashes),
    () => ({ action: 'recovery_codes_made', login }),
  )
  notifyOwner(deps, login, recoveryCodesMail)
  return codes
}

/** Sends an SMS code for `turnOff` and `newRecoveryCodes`; does nothing with an app. */
export async function requestCode(
  deps: TwoFactorDeps,
  actor: Actor,
  input: { readonly password: string },
): Promise<void> {
  const { login, twoFactor } = await confirmPassword(deps, actor, input.password)
  if (!twoFactor) throw notOn()
  if (twoFactor.by !== 'sms') return
  await sendOrThrow(deps, login, twoFactor.phone)
}

async function sendOrThrow(deps: TwoFactorDeps, login: string, phone: string): Promise<void> {
  const sent = await sendSmsCode(deps, login, phone)
  if (sent.sms === 'too-many') throw tooOften(sent.wait)
  if (sent.sms !== 'failed') return
  const message = 'The SMS could not be sent. Try again, or ask the operator about smsGatewayUrl.'
  throw new Refusal('TEMPORARILY_UNAVAILABLE', message, { resource: 'users' })
}

/** Turns on the factor that was started. Returns the recovery codes, only once. */
export async function confirmFactor(
  deps: TwoFactorDeps,
  actor: Actor,
  by: 'sms' | 'app',
  given: string,
): Promise<readonly string[]> {
  requireOwnToken(actor)
  const { login } = actor
  const factor = await deps.accounts.begunTwoFactor(login, deps.clock.now())
  if (factor?.by !== by) {
    throw new Refusal('BAD_REQUEST', 'No second factor is being set up. Start again.', { resource: 'users' })
  }
  await countTryOrThrow(deps, ownCodeBudget(login))
  const code = given.replace(/\s/g, '')
  const usedStep = factor.by === 'app' ? stepOfCode(factor.secret, code, deps.clock.now()) : undefined
  const right = factor.by === 'app' ? usedStep !== undefined : await isValidSixDigitCode(deps, login, factor, code)
  if (!right) throw wrongCode()
  const { codes, hashes } = newRecoveryCodeSet(login)
  const on = await audited(
    deps,
    ({ accounts }) => accounts.turnTwoFactorOn(login, { factor, recoveryCodeHashes: hashes, usedStep }),
    (done) => done && { action: 'two_factor_on', login, details: { by } },
  )
  if (!on) throw wrongCode()
  notifyOwner(deps, login, twoFactorOnMail)
  return codes
}

/** Before another factor is set up: passkeys that are there must agree, or the password alone would get around them. */
async function confirmFirstCode(
  deps: TwoFactorDeps,
  actor: Actor,
  input: SecondProof & { readonly password: string },
): Promise<Account> {
  const account = await confirmPassword(deps, actor, input.password)
  if (account.twoFactor) throw alreadyOn()
  await confirmSecondFactor(deps, account, input)
  return account
}

/** International format; spaces, dots, dashes and brackets are removed. */
function readPhone(text: string): string {
  const phone = text.replace(/[\s().-]/g, '')
  if (!/^\+[1-9]\d{6,14}$/.test(phone)) {
    throw invalid('phone', 'Send the number in international form, for example +49 151 23456789.', 'users')
  }
  return phone
}

function alreadyOn(): Refusal {
  const message = 'A second factor is on. Turn it off first, then set up another.'
  return new Refusal('CONFLICT', message, { resource: 'users' })
}

function notOn(): Refusal {
  return new Refusal('CONFLICT', 'No second factor is on.', { resource: 'users' })
}
