import { operator } from '../../src/core/accounts/actor.js'
import type { MemberRole } from '../../src/core/accounts/group-store.js'
import { createGroup, createOrganization } from '../../src/core/administration/groups.js'
import { setMember } from '../../src/core/administration/members.js'
import type { StartedApp } from '../support/start-app.js'

/** What an operator does on the command line of the running service. */
export function organize(started: StartedApp) {
  const deps = { ...started.app, onAccessChanged: () => started.app.tokens.clear() }
  return {
    /** An organization that the first user administers. */
    organization: async (name = 'Another organization') =>
      (await createOrganization(deps, operator, { name, admin: 'admin' })).guid,

    /** A group, in the organization of the first user by default. */
    async group(name = 'Another group', organizationGuid?: string): Promise<string> {
      const where = organizationGuid ?? (await firstOrganization(started))
      return (await createGroup(deps, operator, { name, organizationGuid: where })).guid
    },

    role: (login: string, role: MemberRole, place: { groupGuid?: string; organizationGuid?: string }) =>
      setMember(deps, operator, { login, role, ...place }),

    /** A branded domain that is assigned to the groups. */
    async domain(name: string, organizationGuid: string, groupGuids: readonly string[] = []): Promise<string> {
      const urls = { rootUrl: undefined, notFoundUrl: undefined }
      await started.app.domainStore.add({ name, organizationGuid, groupGuids, ...urls, createdBy: 'admin', at: 1 })
      await started.app.domains.refresh()
      return name
    },
  }
}

/** The organization of the first group. */
export async function firstOrganization(started: StartedApp): Promise<string> {
  return (await started.request('GET', `/v4/groups/${started.groupGuid}`)).body.organization_guid
}

/** Bodies that no JSON operation accepts, with the expected status. */
export const unreadableBodies: readonly (readonly [what: string, body: unknown, status: number])[] = [
  ['an array', [], 422],
  ['a number', 7, 422],
  ['text', '"text"', 422],
  ['null', 'null', 422],
  ['nothing', '', 422],
  ['broken JSON', '{"name":', 422],
]
