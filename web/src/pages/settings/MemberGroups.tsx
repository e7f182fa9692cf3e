import { Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import { Dialog } from '../../parts/Dialog.js'
import page from '../../parts/page.module.css'
import { showError } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { type GroupRole, type Member, membersQuery } from './queries.js'

interface MemberGroupsProps {
  readonly guid: string
  readonly member: Member
  readonly onClose: () => void
}

const roles: readonly GroupRole[] = ['group-admin', 'member', 'reader']

/** In which groups a member is, and as what. */
export function MemberGroups({ guid, member, onClose }: MemberGroupsProps) {
  const client = useQueryClient()
  const { data: groups = [] } = useQuery(groupsQuery)
  const isAdmin = useIsAdmin()
  const change = useMutation({
    mutationFn: ({ group_guid, role }: { group_guid: string; role: GroupRole | 'none' }) => {
      const params = { path: { group_guid, login: member.login } }
      return role === 'none'
        ? ask(api.DELETE('/v4/groups/{group_guid}/members/{login}', { params }))
        : ask(api.PUT('/v4/groups/{group_guid}/members/{login}', { params, body: { role } }))
    },
    onError: showError,
    onSettled: () => client.invalidateQueries({ queryKey: membersQuery(guid).queryKey }),
  })
  const { settings } = people
  const choices = [
    { value: 'none', label: settings.notInGroup },
    ...roles.map((value) => ({ value, label: settings.roles[value] })),
  ]
  return (
    <Dialog onClose={onClose} title={settings.groupsOf(member.name || member.login)}>
      <div className={page.form}>
        {groups
          .filter(({ organization_guid }) => organization_guid === guid)
          .map((group) => (
            <Select
              key={group.guid}
              label={group.name}
              data={choices}
              value={member.groups.find(({ group_guid }) => group_guid === group.guid)?.role ?? 'none'}
              onChange={(role) => change.mutate({ group_guid: group.guid, role: role as GroupRole | 'none' })}
              allowDeselect={false}
              disabled={!isAdmin}
            />
          ))}
      </div>
    </Dialog>
  )
}
