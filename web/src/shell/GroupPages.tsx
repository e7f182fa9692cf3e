import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { groupsQuery } from '../api/queries.js'
import { rememberGroup, useGroup } from './current-group.js'

const UnknownGroup = lazy(async () => ({ default: (await import('./UnknownGroup.js')).UnknownGroup }))

/** The pages of the group in the URL, or a way out if the person has no such group. */
export function GroupPages() {
  const { data: groups } = useQuery(groupsQuery)
  const guid = useGroup()?.guid
  useEffect(() => {
    if (guid !== undefined) rememberGroup(guid)
  }, [guid])
  if (groups === undefined || guid !== undefined) return <Outlet />
  return (
    <Suspense>
      <UnknownGroup groups={groups} />
    </Suspense>
  )
}
