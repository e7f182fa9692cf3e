/**
 * The audit log: who did what to accounts, roles, domains and links. Use cases note what they did right after they did
 * it; administrators read it. It must not know what the actions mean, and is never given a secret.
 */
import { loginRule } from '../../lib/credentials.js'
import { type Actor, requireOrganizationAdmin } from '../auth/actor.js'
import type { Clock } from '../clock.js'
import { newGuid } from '../guid.js'
import { invalid } from '../refusal.js'
import type { AuditAction, AuditEntry, AuditPosition, AuditStore } from './audit-store.js'

export interface NoteParts {
  readonly audit: Pick<AuditStore, 'add'>
  readonly clock: Clock
}

export interface Note {
  readonly action: AuditAction
  /** The login of whoever did it; `operator` from the command line. */
  readonly login: string | undefined
  readonly organizationGuid?: string | undefined
  readonly subject?: string | undefined
  readonly address?: string | undefined
  readonly details?: Readonly<Record<string, string>>
}

export async function note(parts: NoteParts, entry: Note): Promise<void> {
  const { action, login, organizationGuid, subject, address, details = {} } = entry
  const guid = newGuid('audit')
  await parts.audit.add({ guid, at: parts.clock.now(), action, login, organizationGuid, subject, address, details })
}

export interface AuditParts {
  readonly audit: AuditStore
}

export interface AuditWish {
  readonly login: string | undefined
  readonly size: number
  /** Continues a list: `searchAfter` of the page before. */
  readonly searchAfter: string | undefined
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly searchAfter: string | undefined
}

export async function readAuditLog(
  parts: AuditParts,
  actor: Actor,
  organizationGuid: string,
  wish: AuditWish,
): Promise<AuditPage> {
  requireOrganizationAdmin(actor, organizationGuid)
  return page(parts, organizationGuid, wish)
}

/** Everything, also what belongs to no organization: sign-ins of nobody we know. */
export function readAuditLogAsOperator(parts: AuditParts, wish: AuditWish): Promise<AuditPage> {
  return page(parts, undefined, wish)
}

async function page(
  parts: AuditParts,
  organizationGuid: string | undefined,
  { login, size, searchAfter }: AuditWish,
): Promise<AuditPage> {
  const after = searchAfter === undefined ? undefined : positionOf(searchAfter)
  // What cannot be a login is never asked for in a store.
  if (login !== undefined && !loginRule.test(login)) return { entries: [], searchAfter: undefined }
  const found = await parts.audit.list({ organizationGuid, login, after, size: size + 1 })
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
