/**
 * What a data protection request needs (docs/privacy.md): forget a visitor of a day, a link or a user. Each reports what it
 * deletes, or with `dryRun` what it would delete, and can be repeated.
 */
import { decodedUri } from '../../lib/decoded-uri.js'
import { type Actor, requireOperator } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import type { ClickEraser, ForgottenClicks } from '../clicks/click-eraser.js'
import { clientIp, dayLength, visitorHash } from '../clicks/visitor.js'
import type { Domains } from '../domains/domains.js'
import type { UnusedBlobs } from '../images/unused-blobs.js'
import { randomBase62 } from '../values/random.js'
import { invalid, Refusal } from '../values/refusal.js'
import type { ForgottenRows, PrivacyStore } from './privacy-store.js'

export interface PrivacyDeps extends AuditDeps {
  readonly privacy: PrivacyStore
  readonly domains: Pick<Domains, 'addressOf' | 'keyOf'>
  readonly redirectCache?: { forget(address: string): void }
  /** Undefined on a stopped service, where the command opens the click log itself. */
  readonly clickEraser?: ClickEraser
  readonly onAccessChanged?: () => void
  /** Undefined on a stopped service, which deletes them at its next start. */
  readonly unusedBlobs?: Pick<UnusedBlobs, 'deleteDue'>
}

export interface ForgetUserInput {
  readonly login: string
  readonly dryRun: boolean
}

/** Links, campaigns and audit entries stay, and name a pseudonym instead. */
export async function forgetUser(
  deps: PrivacyDeps,
  actor: Actor,
  { login, dryRun }: ForgetUserInput,
): Promise<{ readonly pseudonym: string; readonly rows: ForgottenRows }> {
  requireOperator(actor)
  const pseudonym = `forgotten-${randomBase62(8).toLowerCase()}`
  const answer = await deps.privacy.forgetUser(login, { pseudonym, dryRun, at: deps.clock.now() })
  if (answer.outcome === 'no-user') {
    throw new Refusal('NOT_FOUND', `There is no user "${login}", and nothing names one.`, { resource: 'users' })
  }
  if (answer.outcome === 'last-admin') {
    const message = `"${login}" is the last administrator of ${answer.organizationGuid}. Make somebody else one first: "shortlink member set".`
    throw new Refusal('CONFLICT', message, { resource: 'users' })
  }
  if (!dryRun) {
    deps.onAccessChanged?.()
    await addAuditEntry(deps, { action: 'user_removed', login: actor.login, account: pseudonym })
    await deps.unusedBlobs?.deleteDue()
  }
  return { pseudonym, rows: answer.rows }
}

export interface ForgetLinkInput {
  /** With the domain's current name. */
  readonly link: string
  readonly dryRun: boolean
}

/** The clicks of the returned addresses are deleted by `forgetClicks`. */
export async function forgetLink(
  deps: PrivacyDeps,
  actor: Actor,
  { link, dryRun }: ForgetLinkInput,
): Promise<{ readonly addresses: readonly string[]; readonly rows: ForgottenRows }> {
  requireOperator(actor)
  const [, domain = '', backHalf = ''] = /^(?:https?:\/\/)?([^/]+)\/(.*)$/i.exec(link) ?? []
  // A site may be at the root of a branded domain.
  const isRoot = domain !== '' && backHalf === ''
  const address = isRoot ? `${deps.domains.keyOf(domain)}/` : deps.domains.addressOf(domain, decodedUri(backHalf))
  const forgotten = address && (await deps.privacy.forgetLink(address, { dryRun, at: deps.clock.now() }))
  if (!forgotten) throw new Refusal('NOT_FOUND', `There is no link "${link}".`, { resource: 'shortlinks' })
  if (!dryRun) {
    for (const each of forgotten.addresses) deps.redirectCache?.forget(each)
    await addAuditEntry(deps, { action: 'link_deleted', login: actor.login })
    await deps.unusedBlobs?.deleteDue()
  }
  return { addresses: forgotten.addresses, rows: forgotten.rows }
}

export async function forgetClicks(
  { clickEraser }: PrivacyDeps,
  { dryRun, ...which }: ForgottenClicks & { readonly dryRun: boolean },
): Promise<number> {
  if (clickEraser) return clickEraser.forgetClicks(which as ForgottenClicks, { dryRun })
  throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Clicks are deleted by the service. Start it first.')
}

export interface VisitorInput {
  /** `2026-11-16`, in UTC. */
  readonly day: string
  readonly ip: string
  readonly userAgent: string
}

/**
 * The clicks of a visitor on a day. Undefined when nobody can tell any more who visited: the salt of that day was
 * deleted.
 */
export async function clicksOfVisitor(
  saltOf: (day: number) => Promise<string | undefined>,
  { day, ip, userAgent }: VisitorInput,
): Promise<ForgottenClicks | undefined> {
  const from = Date.parse(`${day}T00:00:00Z`)
  // February 30 would be March 2.
  if (Number.isNaN(from) || new Date(from).toISOString().slice(0, 10) !== day) {
    throw invalid('day', `"${day}" is not a day such as 2026-11-16.`, 'users')
  }
  const address = clientIp(ip, 0)
  if (address === '') throw invalid('ip', `"${ip}" is not an IP address.`, 'users')
  const salt = await saltOf(from / dayLength)
  if (salt === undefined) return undefined
  return { visitor: visitorHash(salt, address, userAgent).toString(), from, before: from + dayLength }
}
