import { Button, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { formatAge } from '../../parts/format.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { NewSecret } from '../../parts/Secret.js'
import { showDone, showError } from '../../parts/toasts.js'
import { useGroupGuid, useIsAdmin } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'

const roles = ['member', 'reader', 'group-admin', 'auditor', 'org-admin'] as const
type Role = (typeof roles)[number]

/** Who was invited and has not come yet, and a form to invite more. */
export function Invitations({ guid }: { readonly guid: string }) {
  const client = useQueryClient()
  const key = ['organizations', guid, 'invitations']
  const path = { organization_guid: guid }
  const isAdmin = useIsAdmin()
  const invitations = useQuery({
    queryKey: key,
    queryFn: async () =>
      (await ask(api.GET('/v4/organizations/{organization_guid}/invitations', { params: { path } }))).invitations,
  })
  const refresh = async () => {
    // A first list that is still on its way is older than the change.
    await client.cancelQueries({ queryKey: key })
    await client.invalidateQueries({ queryKey: key })
  }
  const revoke = useMutation({
    mutationFn: (invitation_guid: string) => {
      const params = { path: { ...path, invitation_guid } }
      return ask(api.DELETE('/v4/organizations/{organization_guid}/invitations/{invitation_guid}', { params }))
    },
    onSuccess: refresh,
    onError: showError,
  })
  return (
    <Card title={people.settings.invitations} hint={people.settings.invitationsHint}>
      {isAdmin && <Invite guid={guid} onInvited={() => void refresh()} />}
      <Rows
        query={invitations}
        keyOf={(invitation) => invitation.guid}
        empty={people.settings.noInvitations}
        row={({ guid: invitation, email, role, created, invited_by, delivery }) => (
          <>
            <RowText title={email}>
              {people.settings.roles[role]} · {people.settings.invitedBy(invited_by)} {formatAge(created)}
              {delivery === 'not_sent' && ` · ${people.settings.notMailed}`}
            </RowText>
            {isAdmin && (
              <Button variant="subtle" color="red" onClick={() => revoke.mutate(invitation)}>
                {people.settings.withdraw}
              </Button>
            )}
          </>
        )}
      />
    </Card>
  )
}

function Invite({ guid, onInvited }: { readonly guid: string; readonly onInvited: () => void }) {
  const current = useGroupGuid()
  const { data: groups = [] } = useQuery(groupsQuery)
  const email = useField('')
  const [group, setGroup] = useState<string | null>(current)
  const [role, setRole] = useState<Role>('member')
  const invite = useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid: guid } }
      const body = { email: email.value.trim(), group_guid: group ?? current, role }
      return ask(api.POST('/v4/organizations/{organization_guid}/invitations', { params, body }))
    },
    onSuccess: ({ email: invited, delivery }) => {
      email.set('')
      if (delivery === 'sent') showDone(people.settings.invited(invited))
      onInvited()
    },
  })
  const own = groups.filter(({ organization_guid }) => organization_guid === guid)
  return (
    <Form onSubmit={() => invite.mutate()} isOneLine>
      <div className={page.pair}>
        <TextInput
          type="email"
          label={people.account.email}
          {...email.input}
          error={invite.error && errorText(invite.error)}
          autoComplete="off"
          required
        />
        <Select
          label={people.settings.group}
          data={own.map(({ guid: value, name }) => ({ value, label: name }))}
          value={group}
          onChange={setGroup}
          allowDeselect={false}
        />
        <Select
          label={people.settings.role}
          data={roles.map((value) => ({ value, label: people.settings.roles[value] }))}
          value={role}
          onChange={(chosen) => setRole(chosen as Role)}
          allowDeselect={false}
        />
      </div>
      {invite.data?.url !== undefined && (
        <NewSecret hint={people.settings.invitationLink(invite.data.email)} value={invite.data.url} />
      )}
      <FormEnd isBusy={invite.isPending} action={people.settings.invite} />
    </Form>
  )
}
