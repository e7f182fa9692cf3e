/** The group whose data the pages show: the one in the URL. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { groupsQuery, userQuery } from '../api/queries.js'
import type { Group } from '../api/types.js'

/** The guid in the URL, or that of the person's default group on pages without one (the account). */
export function useGroupGuid(): string {
  const { group } = useParams({ strict: false })
  const { data: user } = useQuery(userQuery)
  return group ?? user?.default_group_guid ?? ''
}

/** Undefined while the groups load, or when the person has no access to it. */
export function useGroup(): Group | undefined {
  const guid = useGroupGuid()
  const { data: groups } = useQuery(groupsQuery)
  return groups?.find((group) => group.guid === guid)
}

const storageKey = 'shortlink-group'

/** The guid of the group that this browser showed last, for addresses without one. */
export function lastGroup(): string | null {
  return localStorage.getItem(storageKey)
}

export function rememberGroup(guid: string): void {
  localStorage.setItem(storageKey, guid)
}

/** Readers and auditors change nothing. */
export function useMayWrite(): boolean {
  const group = useGroup()
  return group !== undefined && group.role !== 'reader' && group.role !== 'auditor'
}

/** Auditors see what administrators see. */
export function useSeesAll(): boolean {
  const role = useGroup()?.role
  return role === 'org-admin' || role === 'auditor'
}

export function useIsAdmin(): boolean {
  return useGroup()?.role === 'org-admin'
}
