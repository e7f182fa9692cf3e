/**
 * The audit log: who changed accounts, roles, domains, links and stream access. Use cases write entries, in the same
 * transaction as the change where the store can; administrators read them. Must not know what the actions mean, and
 * never contains secrets.
 */
import { loginRule } from '../../lib/credentials.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import { newGuid } from '../values/guid.js'
import type { Clock } from '../values/time.js'
import { type Actor, requireOrganizationAuditor } from './actor.js'
import {
  type AuditAction,
  type AuditEntry,
  type AuditedStores,
  type AuditFilter,
  type AuditStore,
  auditActions,
} from './audit-store.js'

export interface AuditDeps {
  readonly audit: Pick<AuditStore, 'add' | 'transact'>
  readonly clock: Clock
}

/** The `login` and `account` of an entry: `account` is set only when the actor changes another user's account. */
export function changedBy(actor: Actor, login: string | undefined): Pick<NewAuditEntry, 'login' | 'account'> {
  const isOwn = !actor.isOperator && actor.login === login
  return isOwn ? { login } : { login: actor.login, account: login }
}

export interface NewAuditEntry {
  readonly action: AuditAction
  /** Login of the acting user; `operator` for the command line. */
  readonly login: string | undefined
  /** Login of the changed account, when it is not the acting user's own. */
  readonly account?: string | undefined
  readonly organizationGuid?: string | undefined
  readonly subject?: string | undefined
  readonly address?: string | undefined
  readonly details?: Readonly<Record<string, string>>
}

/** Writes an entry by itself, for changes that cannot share a transaction with it. */
export async function addAuditEntry(deps: AuditDeps, entry: NewAuditEntry): Promise<void> {
  await deps.audit.add(entryFrom(deps, entry))
}

/**
 * Runs a change and writes its audit entry in one transaction, so that no token, role or password changes without an
 * entry. `noteOf` builds the entry from the result of the change.
 */
export function audited<Answer>(
  deps: AuditDeps,
  change: (stores: AuditedStores) => Promise<Answer>,
  noteOf: (answer: Answer) => NewAuditEntry | readonly NewAuditEntry[] | false | undefined,
): Promise<Answer> {
  return deps.audit.transact(change, (answer) => {
    const notes = [noteOf(answer) || []].flat()
    return notes.map((each) => entryFrom(deps, each))
  })
}

function entryFrom({ clock }: AuditDeps, entry: NewAuditEntry): AuditEntry {
  const { action, login, account, organizationGuid, subject, address, details = {} } = entry
  const at = clock.now()
  return { guid: newGuid('audit'), at, action, login, account, organizationGuid, subject, address, details }
}

export interface AuditLogDeps {
  readonly audit: AuditStore
}

export interface AuditInput extends Pick<AuditFilter, 'login' | 'subject' | 'actions' | 'from' | 'until'> {
  readonly size: number
  /** `searchAfter` of the previous page. */
  readonly searchAfter: string | undefined
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly searchAfter: string | undefined
}

/** Without an organization: all entries, including those of none, such as failed sign-ins of unknown users. */
export async function readAuditLog(
  deps: AuditLogDeps,
  actor: Actor,
  organizationGuid: string | undefined,
  { size, searchAfter, ...filter }: AuditInput,
): Promise<AuditPage> {
  requireOrganizationAuditor(actor, organizationGuid)
  const position = searchAfter === undefined ? undefined : positionIn(searchAfter, 'audit_log')
  const after = position && { at: position.at, guid: position.id }
  const actions = filter.actions && auditActions.filter((action) => filter.actions?.includes(action))
  // Skip the query where nothing can be found: for a malformed login, and for actions that do not exist.
  if ((filter.login !== undefined && !loginRule.test(filter.login)) || actions?.length === 0) {
    return { entries: [], searchAfter: undefined }
  }
  const found = await deps.audit.list({ ...filter, actions, organizationGuid, after, size: size + 1 })
  const entries = found.slice(0, size)
  const last = found.length > size ? entries.at(-1) : undefined
  return { entries, searchAfter: last && cursorOf({ at: last.at, id: last.guid }) }
}
