import { Badge, Button, Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UserMinus } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { userQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import icon from '../../parts/IconButton.module.css'
import { lazyPart } from '../../parts/lazy-part.js'
import { Rows, RowText } from '../../parts/Rows.js'
import { LetterMark } from '../../parts/SiteMark.js'
import { showDone, showError } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { type Member, membersQuery } from './queries.js'
import styles from './settings.module.css'

const MemberGroups = lazyPart(() => import('./MemberGroups.js'), 'MemberGroups')

/** Everybody in the organization, with roles that can be changed. */
export function MembersCard({ guid }: { readonly guid: string }) {
  const client = useQueryClient()
  const members = useQuery(membersQuery(guid))
  const { data: user } = useQuery(userQuery)
  const isAdmin = useIsAdmin()
  const [removing, setRemoving] = useState<Member>()
  const [edited, setEdited] = useState<string>()
  const refresh = () => client.invalidateQueries({ queryKey: membersQuery(guid).queryKey })
  const change = useMutation({
    mutationFn: ({ login, role }: Pick<Member, 'login' | 'role'>) => {
      const params = { path: { organization_guid: guid, login } }
      return ask(api.PUT('/v4/organizations/{organization_guid}/members/{login}', { params, body: { role } }))
    },
    onError: showError,
    onSettled: async () => {
      await refresh()
      await client.invalidateQueries({ queryKey: ['groups'], exact: true })
    },
  })
  const remove = useMutation({
    mutationFn: ({ login }: Member) => {
      const params = { path: { organization_guid: guid, login } }
      return ask(api.DELETE('/v4/organizations/{organization_guid}/members/{login}', { params }))
    },
    onSuccess: async (_, { login }) => {
      setRemoving(undefined)
      showDone(people.settings.removed(login))
      await refresh()
    },
    onError: showError,
  })
  const { settings } = people
  const chosen = members.data?.find(({ login }) => login === edited)
  return (
    <Card title={settings.members} hint={settings.membersHint}>
      <Rows
        query={members}
        keyOf={({ login }) => login}
        empty={null}
        row={(member) => (
          <>
            <LetterMark name={member.name || member.login} isRound />
            <RowText title={member.name || member.login}>
              {[member.login === user?.login ? `${member.login} (${settings.you})` : member.login, member.email]
                .filter(Boolean)
                .join(' · ')}
            </RowText>
            {member.identity_providers.map((name) => (
              <Badge key={name} variant="light" title={settings.comesFrom(name)}>
                {name}
              </Badge>
            ))}
            {!member.is_active && <Badge color="gray">{settings.inactive}</Badge>}
            {member.role !== 'member' ? (
              <span className={styles.all}>{settings.inAllGroups}</span>
            ) : (
              <Button variant="subtle" onClick={() => setEdited(member.login)} className={styles.groups}>
                {settings.inGroups(member.groups.length)}
              </Button>
            )}
            <Select
              className={styles.role}
              aria-label={settings.roleOf(member.login)}
              data={(['admin', 'auditor', 'member'] as const).map((value) => ({
                value,
                label: settings.memberRoles[value],
              }))}
              value={member.role}
              onChange={(role) => role && change.mutate({ login: member.login, role: role as Member['role'] })}
              allowDeselect={false}
              disabled={!isAdmin}
            />
            {isAdmin && (
              <button
                type="button"
                className={icon.button}
                aria-label={texts.common.remove}
                title={texts.common.remove}
                onClick={() => setRemoving(member)}
              >
                <UserMinus size={16} />
              </button>
            )}
          </>
        )}
      />
      {chosen && <MemberGroups guid={guid} member={chosen} onClose={() => setEdited(undefined)} />}
      {removing && (
        <ConfirmDialog
          title={settings.removeMemberTitle(removing.name || removing.login)}
          action={texts.common.remove}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(removing)}
          onClose={() => setRemoving(undefined)}
        >
          {settings.removeMemberHint}
        </ConfirmDialog>
      )}
    </Card>
  )
}
