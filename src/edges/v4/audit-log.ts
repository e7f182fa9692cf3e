/** The audit log of an organization, for its administrators and auditors. An addition: the public API has no such operation. */

import { type Static, Type } from 'typebox'
import { type AuditLogDeps, readAuditLog } from '../../core/accounts/audit.js'
import { type AuditEntry, auditActions } from '../../core/accounts/audit-store.js'
import type { Domains } from '../../core/domains/domains.js'
import type { LinkStore } from '../../core/links/link-store.js'
import { parseAddress } from '../../core/values/address.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { organizationAuditor } from './access.js'
import { presentFieldNames } from './link-history.js'
import { type BaseUrlDeps, route } from './route.js'
import { moment, optionalText } from './schemas/fields.js'
import {
  defaultSize,
  epochSeconds,
  joinedTexts,
  pageAnswer,
  pageFields,
  pagination,
  separated,
} from './schemas/lists.js'

export type AuditRouteDeps = AuditLogDeps &
  BaseUrlDeps & { readonly domains: Pick<Domains, 'addressOf'>; readonly links: Pick<LinkStore, 'get'> }

const Entry = Type.Object(
  {
    guid: Type.String(),
    created: moment(),
    action: Type.String({ enum: [...auditActions] }),
    login: optionalText(
      'Login of the user who acted, or whose account somebody tried to sign in to; `operator` for the command line',
    ),
    account: Type.Optional(Type.String({ description: 'Login of the affected user, if somebody else acted' })),
    subject: Type.Optional(Type.String({ description: 'The affected object: a login, guid, domain or link' })),
    ip_address: Type.Optional(Type.String({ description: 'Client IP address; sign-ins only' })),
    details: Type.Record(Type.String(), Type.String()),
  },
  { description: 'An audit log entry' },
)

const Query = Type.Object({
  ...pageFields('Entries per page', { default: defaultSize }),
  login: Type.Optional(Type.String({ description: 'Only entries by or about this user' })),
  subject: Type.Optional(
    Type.String({
      description:
        'Only entries about this thing: its guid, a domain, a short link by any of its addresses, or the login of an account',
    }),
  ),
  action: joinedTexts('Only entries with this action; repeat it for any of several'),
  created_after: epochSeconds('Only entries at or after this time, in epoch seconds'),
  created_before: epochSeconds('Only entries before this time, in epoch seconds'),
})

export function auditRoutes(http: TypedFastify, deps: AuditRouteDeps): void {
  route(http, 'Organizations', 'listAuditLog: GET /v4/organizations/:organization_guid/audit_log', {
    scope: 'admin',
    access: organizationAuditor,
    summary: 'List the audit log of an organization',
    description:
      'Who signed in, and who changed tokens, roles, domains and links. For administrators and auditors of the organization.',
    querystring: Query,
    response: { 200: pageAnswer('audit_log', Entry, 'Newest first') },
    answer: async (request) => {
      const {
        size = defaultSize,
        search_after: given,
        login,
        subject,
        action,
        created_after,
        created_before,
      } = request.query
      const input = {
        size,
        searchAfter: given,
        login,
        subject: subject && (await subjectIn(deps, subject)),
        actions: action && separated(action),
        from: created_after === undefined ? undefined : created_after * 1000,
        until: created_before === undefined ? undefined : created_before * 1000,
      }
      const { entries, searchAfter } = await readAuditLog(deps, request.actor, request.params.organization_guid, input)
      const url = deps.config.baseUrl + request.url
      return { audit_log: entries.map(presentEntry), pagination: pagination(url, searchAfter, size) }
    },
  })
}

/** The id of a short link, by any of its addresses with the name that its domain has today; or as the entry has it. */
async function subjectIn({ domains, links }: AuditRouteDeps, text: string): Promise<string> {
  const written = parseAddress(text)
  const address = written && domains.addressOf(written.domain, written.backHalf)
  const link = address && (await links.get(address))
  return (link ? link.id : address) ?? text
}

function presentEntry(entry: AuditEntry): Static<typeof Entry> {
  const { guid, at, action, login, account, subject, address, details } = entry
  return {
    guid,
    created: timestamp(at),
    action,
    ...(login !== undefined && { login }),
    ...(account !== undefined && { account }),
    ...(subject !== undefined && { subject }),
    ...(address !== undefined && { ip_address: address }),
    details:
      action === 'link_changed' ? { ...details, fields: presentFieldNames(details.fields ?? '') } : { ...details },
  }
}
