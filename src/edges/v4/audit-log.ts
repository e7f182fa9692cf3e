/** The audit log, for administrators. Our choice: the public service has no operation for it. */
import { type Static, Type } from 'typebox'
import { type AuditLogDeps, readAuditLog } from '../../core/accounts/audit.js'
import { type AuditEntry, auditActions } from '../../core/accounts/audit-store.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { organizationAdmin } from './access.js'
import { timestamp } from './present.js'
import { route } from './route.js'
import { cursorBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment } from './schemas/moment.js'

export interface AuditRouteDeps extends AuditLogDeps {
  readonly config: { readonly baseUrl: string }
}

const Entry = Type.Object(
  {
    guid: Type.String(),
    created: moment(),
    action: Type.String({ enum: [...auditActions] }),
    login: Type.Optional(
      Type.String({ description: 'Who did it, or whose account was tried; `operator` from the command line' }),
    ),
    account: Type.Optional(
      Type.String({ description: 'The login of the account it was done to, where somebody else did it' }),
    ),
    subject: Type.Optional(Type.String({ description: 'What it was done to: a login, guid, domain or link' })),
    ip_address: Type.Optional(Type.String({ description: 'Of a sign-in' })),
    details: Type.Record(Type.String(), Type.String()),
  },
  { description: 'One entry' },
)

const Query = Type.Object({
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Entries on a page; 50 by default' })),
  search_after: Type.Optional(
    Type.String({ ...cursorBounds, description: 'Continues a list: `pagination.search_after` of the page before' }),
  ),
  login: Type.Optional(Type.String({ description: 'Only what one user did, or what was done to their account' })),
})

export function auditRoutes(http: TypedFastify, deps: AuditRouteDeps): void {
  route(http, 'GET /v4/organizations/:organization_guid/audit_log', {
    access: organizationAdmin,
    schema: {
      operationId: 'getAuditLog',
      tags: ['Organizations'],
      summary: 'Read who did what: sign-ins of members, tokens, roles, domains, deletions',
      params: Type.Object({ organization_guid: Type.String({ description: 'Guid of the organization' }) }),
      querystring: Query,
      response: {
        200: Type.Object(
          {
            audit_log: Type.Array(Entry),
            pagination: Type.Object({
              next: Type.String({ description: 'URL of the next page; empty on the last' }),
              search_after: Type.String({ description: 'Continues the list; empty on the last page' }),
              size: Type.Integer(),
            }),
          },
          { description: 'Newest first' },
        ),
        ...refusals(400, 403),
      },
    },
    answer: async (request) => {
      const { size = 50, search_after: given, login } = request.query
      const input = { size, searchAfter: given, login }
      const { entries, searchAfter } = await readAuditLog(deps, request.actor, request.params.organization_guid, input)
      const next = new URL(request.url, deps.config.baseUrl)
      if (searchAfter !== undefined) next.searchParams.set('search_after', searchAfter)
      const pagination =
        searchAfter === undefined
          ? { next: '', search_after: '', size }
          : { next: next.href, search_after: searchAfter, size }
      return { audit_log: entries.map(presentEntry), pagination }
    },
  })
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
    details: { ...details },
  }
}
