import type { TwoFactor } from './identity-store.js'

/**
 * The second factor of accounts: what is being set up, what is on, codes sent by SMS, recovery codes. Each method is
 * one atomic step; two-factor-store.contract.ts says what they promise. Codes arrive here already hashed.
 */
export interface TwoFactorStore {
  /** Remembers what is being set up, in place of anything begun before. What is on stays on until it is confirmed. */
  begin(login: string, factor: TwoFactor, expiresAt: number): Promise<void>
  /** What is being set up; undefined when nothing is, or its time is over. */
  begun(login: string, now: number): Promise<TwoFactor | undefined>
  /**
   * Turns on what is being set up, with these recovery codes in place of older ones. False when it is not what is being
   * set up any more: of several callers at once one gets true. `usedStep` is not accepted again.
   */
  turnOn(login: string, on: TurnedOn): Promise<boolean>
  /** Forgets factor, codes and recovery codes. False when nothing was on. */
  turnOff(login: string): Promise<boolean>

  /** Accepts each time step of an authenticator app once, and none before it: false for a step that was used. */
  useStep(login: string, step: number): Promise<boolean>

  replaceRecoveryCodes(login: string, codeHashes: readonly string[]): Promise<void>
  /** True for one caller per code. */
  useRecoveryCode(login: string, codeHash: string): Promise<boolean>
  recoveryCodesLeft(login: string): Promise<number>

  /** Replaces the code that is out, unless that one was sent after `notSince`: then answers false. */
  sendCode(code: SentCode, notSince: number): Promise<boolean>
  /** Makes room for another at once: the one that is out never arrived. */
  forgetCode(login: string): Promise<void>
  /**
   * Right uses the code up. Wrong costs one of its tries, and without any left it is over.
   */
  checkCode(login: string, codeHash: string, now: number): Promise<boolean>
}

export interface TurnedOn {
  readonly factor: TwoFactor
  readonly recoveryCodeHashes: readonly string[]
  /** The time step of the code that confirmed it; undefined for SMS. */
  readonly usedStep: number | undefined
}

export interface SentCode {
  readonly login: string
  readonly codeHash: string
  readonly tries: number
  readonly sentAt: number
  readonly expiresAt: number
}
