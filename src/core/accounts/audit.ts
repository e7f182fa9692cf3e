/**
 * The audit log: who did what to accounts, roles, domains, links and the access to the stream. Use cases note what they
 * do, as part of it where the store can; administrators read it. It must not know what the actions mean, and is never
 * given a secret.
 */
import { loginRule } from '../../lib/credentials.js'
import { newGuid } from '../values/guid.js'
import { invalid } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { type Actor, requireOrganizationAdmin } from './actor.js'
import type { AuditAction, AuditEntry, AuditedStores, AuditPosition, AuditStore } from './audit-store.js'

export interface AuditDeps {
  readonly audit: Pick<AuditStore, 'add' | 'transact'>
  readonly clock: Clock
}

/** Who changed the account of this login; the account is named where it is not their own. */
export function changedBy(actor: Actor, login: string | undefined): Pick<Note, 'login' | 'account'> {
  const isOwn = !actor.isOperator && actor.login === login
  return isOwn ? { login } : { login: actor.login, account: login }
}

export interface Note {
  readonly action: AuditAction
  /** The login of whoever did it; `operator` from the command line. */
  readonly login: string | undefined
  /** The login of the account it was done to, where somebody else did it. */
  readonly account?: string | undefined
  readonly organizationGuid?: string | undefined
  readonly subject?: string | undefined
  readonly address?: string | undefined
  readonly details?: Readonly<Record<string, string>>
}

/** For what is no change of a store that takes notes: the entry is written by itself. */
export async function note(deps: AuditDeps, entry: Note): Promise<void> {
  await deps.audit.add(entryFrom(deps, entry))
}

/**
 * Does one thing in one store and notes it, both or neither: nobody gets a token, a role or a password without a trace.
 * `noteOf` says what there is to tell, given what the store answered.
 */
export function audited<Answer>(
  deps: AuditDeps,
  change: (stores: AuditedStores) => Promise<Answer>,
  noteOf: (answer: Answer) => Note | readonly Note[] | false | undefined,
): Promise<Answer> {
  return deps.audit.transact(change, (answer) => {
    const notes = [noteOf(answer) || []].flat()
    return notes.map((each) => entryFrom(deps, each))
  })
}

function entryFrom({ clock }: AuditDeps, entry: Note): AuditEntry {
  const { action, login, account, organizationGuid, subject, address, details = {} } = entry
  const at = clock.now()
  return { guid: newGuid('audit'), at, action, login, account, organizationGuid, subject, address, details }
}

export interface AuditLogDeps {
  readonly audit: AuditStore
}

export interface AuditInput {
  readonly login: string | undefined
  readonly size: number
  /** Continues a list: `searchAfter` of the page before. */
  readonly searchAfter: string | undefined
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly searchAfter: string | undefined
}

/** Without an organization: everything, also what belongs to none, such as sign-ins of nobody we know. */
export async function readAuditLog(
  deps: AuditLogDeps,
  actor: Actor,
  organizationGuid: string | undefined,
  { login, size, searchAfter }: AuditInput,
): Promise<AuditPage> {
  requireOrganizationAdmin(actor, organizationGuid)
  const after = searchAfter === undefined ? undefined : positionOf(searchAfter)
  // What cannot be a login is never asked for in a store.
  if (login !== undefined && !loginRule.test(login)) return { entries: [], searchAfter: undefined }
  const found = await deps.audit.list({ organizationGuid, login, after, size: size + 1 })
  const entries = found.slice(0, size)
  const last = entries.at(-1)
  return { entries, searchAfter: found.length > size && last ? cursorOf(last) : undefined }
}

function cursorOf({ at, guid }: AuditPosition): string {
  return Buffer.from(`${at} ${guid}`).toString('base64url')
}

function positionOf(cursor: string): AuditPosition {
  const [, at, guid] = /^(\d{1,15}) ([0-9A-Za-z]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const position = at === undefined || guid === undefined ? undefined : { at: Number(at), guid }
  if (!position || cursorOf(position) !== cursor) {
    const message = 'Send search_after exactly as the page before gave it, or leave it out for the first page.'
    throw invalid('searchAfter', message, 'audit_log')
  }
  return position
}
