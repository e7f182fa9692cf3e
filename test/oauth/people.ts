import { createHmac } from 'node:crypto'
import { operator } from '../../src/core/accounts/actor.js'
import { type ApplicationInput, registerApplication } from '../../src/core/accounts/applications.js'
import { createUser } from '../../src/core/accounts/users.js'
import { confirmFactor, startSms, startTotp } from '../../src/core/sign-in/two-factor.js'
import { codeIn, type SmsReceiver } from '../support/sms-receiver.js'
import type { StartedApp } from '../support/start-app.js'

export const password = 'correct horse battery'

let people = 0

/** A new user of the first group, who can sign in. */
export async function aPerson(started: StartedApp): Promise<string> {
  people += 1
  const login = `person-${people}`
  await createUser(started.app, operator, { login, name: 'Person', email: `${login}@example.com`, password })
  return login
}

export const back = 'https://reader.example/back?kept=1'

/** A registered application, with its secret. */
export function anApplication(started: StartedApp, input: Partial<ApplicationInput> = {}) {
  const { app } = started
  return registerApplication(app, operator, { name: 'Reader', login: 'admin', redirectUris: [back], ...input })
}

/**
 * A clock that tests move. By itself it goes a millisecond with each look at it: entries keep their order, and on a slow machine
 * nothing expires between two requests.
 */
export function aClock() {
  let at = Date.now()
  const clock = { offset: 0, now: () => ++at + clock.offset }
  return clock
}

/** Turns on SMS codes for the user. */
export async function withPhone(started: StartedApp, login: string, received: SmsReceiver['messages']): Promise<void> {
  const actor = { login, defaultGroupGuid: '', clientId: undefined, groups: [], organizations: [] }
  await startSms(started.app, actor, { password, phone: '+491234567890' })
  await confirmFactor(started.app, actor, 'sms', codeIn(received.at(-1)?.text))
}

/**
 * Turns on an authenticator app for the user and returns its codes: each code works once, so each call is the next
 * time step.
 */
export async function withAuthenticator(started: StartedApp, login: string, clock: ReturnType<typeof aClock>) {
  const { app } = started
  const actor = { login, defaultGroupGuid: '', clientId: undefined, groups: [], organizations: [] }
  const { secret } = await startTotp(app, actor, { password })
  const recoveryCodes = await confirmFactor(app, actor, 'app', totp(secret, clock.now()))
  const nextCode = () => {
    clock.offset += 30_000
    return totp(secret, clock.now())
  }
  return { nextCode, recoveryCodes }
}

/** RFC 6238, implemented a second time so that the service is not checked against itself. */
function totp(secret: string, now: number): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeUInt32BE(Math.floor(now / 30_000), 4)
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = digest.readUInt8(19) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
