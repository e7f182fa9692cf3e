/**
 * Safe retries: a client may repeat a request with the same Idempotency-Key, and gets the first answer instead of a second
 * record (docs/api/README.md#safe-retries). Only successes are kept: a refused request has written nothing, so repeating it
 * is safe anyway. Knows neither the operations nor how answers are sent.
 */
import { createHash, hash } from 'node:crypto'
import { hourlyCleanUp } from '../../lib/clean-up.js'
import type { PeriodicTask } from '../../lib/periodic-task.js'
import type { Actor } from '../accounts/actor.js'
import { hasScope } from '../accounts/scopes.js'
import { invalid, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Answer, AnswerStore } from './answer-store.js'
import { sortedJson } from './sorted-json.js'

export interface IdempotentRequestDeps {
  readonly answers: AnswerStore
  readonly clock: Clock
  /** Called when old answers cannot be deleted; tried again an hour later. */
  readonly onFailure: (error: unknown) => void
}

export interface RepeatableRequest {
  readonly actor: Actor
  readonly key: string
  /** Method and path. */
  readonly operation: string
  readonly body: unknown
}

export interface GivenAnswer extends Answer {
  readonly isReplayed: boolean
}

const answerLifetime = 24 * 3_600_000

const maxKeyLength = 255

export class IdempotentRequests {
  readonly #deps: IdempotentRequestDeps
  readonly #underWay = new Set<string>()
  /** Deletes old answers. */
  readonly cleanUp: PeriodicTask

  constructor(deps: IdempotentRequestDeps) {
    this.#deps = deps
    const { answers, clock, onFailure } = deps
    this.cleanUp = hourlyCleanUp((limit) => answers.deleteOld(clock.now() - answerLifetime, limit), onFailure)
  }

  close(): Promise<void> {
    return this.cleanUp.close()
  }

  /** Runs the work, or returns the answer that was given to the same request before. */
  async answer(request: RepeatableRequest, work: () => Promise<Answer>): Promise<GivenAnswer> {
    requireKey(request.key)
    const id = idOf(request)
    const fingerprint = fingerprintOf(request)
    // Before any await, so that of two concurrent requests one sees the other.
    if (this.#underWay.has(id)) throw stillUnderWay()
    this.#underWay.add(id)
    try {
      const at = this.#deps.clock.now()
      const since = at - answerLifetime
      const before = await this.#deps.answers.find(id, since)
      const kept = before ?? (await this.#deps.answers.keep({ id, fingerprint, at, since }, work))
      if (kept.fingerprint !== fingerprint) throw usedOtherwise()
      if (!kept.answer) throw unreadable()
      return { ...kept.answer, isReplayed: !('isNew' in kept && kept.isNew) }
    } finally {
      this.#underWay.delete(id)
    }
  }
}

function requireKey(key: string): void {
  if (key.length > maxKeyLength || !/^[\x21-\x7e]+$/.test(key)) {
    const message = `An Idempotency-Key has 1 to ${maxKeyLength} visible ASCII characters, such as a UUID.`
    throw invalid('idempotencyKey', message)
  }
}

/**
 * Of a user and the application they use: a renewed token is the same caller, and two applications cannot meet each other's
 * keys. A hash, because keys are of any length.
 */
function idOf({ actor, key }: RepeatableRequest): string {
  return hash('sha256', JSON.stringify([actor.login, actor.clientId ?? null, key]), 'base64url')
}

function fingerprintOf({ actor, operation, body }: RepeatableRequest): string {
  const fingerprint = createHash('sha256').update(`${operation}\n`)
  fingerprint.update(limitsOf(actor))
  for (const piece of sortedJson(body)) fingerprint.update(piece)
  return fingerprint.digest('base64url')
}

/** The first answer may be of a group, or tell a secret, that a token with other limits does not reach. */
function limitsOf(actor: Actor): string {
  const { clientId, scopes, groups, isLimitedToGroups, domains } = actor
  if (clientId !== undefined || hasScope(actor, 'all')) return ''
  const reached = isLimitedToGroups && groups.map(({ groupGuid }) => groupGuid).sort()
  return `${JSON.stringify([scopes, reached, domains])}\n`
}

function stillUnderWay(): Refusal {
  const message = 'A request with this Idempotency-Key is still being answered. Try again in a moment.'
  return new Refusal('IDEMPOTENCY_KEY_IN_USE', message, { retryAfter: 1 })
}

/** Not carried out again: that could create a second record, which the client wanted to avoid. */
function unreadable(): Refusal {
  const message =
    'This request was carried out before, but its answer can no longer be decrypted. ' +
    'Look for what it created; if you want another, choose a new Idempotency-Key.'
  return new Refusal('CONFLICT', message)
}

function usedOtherwise(): Refusal {
  const message =
    'This Idempotency-Key was used for another request within 24 hours: another operation or other content. ' +
    'Choose a new key for each new request.'
  return new Refusal('IDEMPOTENCY_KEY_REUSED', message)
}
