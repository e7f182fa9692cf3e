import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { groupsQuery } from '../api/queries.js'
import { lazyPart } from '../parts/lazy-part.js'
import { rememberGroup, useGroup } from './current-group.js'

const UnknownGroup = lazyPart(() => import('./UnknownGroup.js'), 'UnknownGroup')

/** The pages of the group in the URL, or a way out if the person has no such group. */
export function GroupPages() {
  const { data: groups } = useQuery(groupsQuery)
  const guid = useGroup()?.guid
  useEffect(() => {
    if (guid !== undefined) rememberGroup(guid)
  }, [guid])
  if (groups === undefined || guid !== undefined) return <Outlet />
  return <UnknownGroup groups={groups} />
}
