import { Checkbox, Select, Skeleton, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery, userQuery } from '../../api/queries.js'
import type { User } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import page from '../../parts/page.module.css'
import { showDone, showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'

export function ProfileCard() {
  const { data: user } = useQuery(userQuery)
  return (
    <Card title={people.account.profile} hint={people.account.profileHint}>
      {user ? <ProfileForm user={user} /> : <Skeleton height={150} />}
    </Card>
  )
}

function ProfileForm({ user }: { readonly user: User }) {
  const name = useField(user.name)
  const [group, setGroup] = useState<string | null>(user.default_group_guid)
  const [isPrivate, setIsPrivate] = useState(user.default_link_privacy === 'private')
  const { data: groups = [] } = useQuery(groupsQuery)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const default_link_privacy = isPrivate ? 'private' : 'public'
      const body = { name: name.value, default_link_privacy, ...(group && { default_group_guid: group }) } as const
      return ask(api.PATCH('/v4/user', { body }))
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['user'] })
      showDone(texts.common.saved)
    },
    onError: showError,
  })
  return (
    <Form onSubmit={() => save.mutate()}>
      <div className={page.pair}>
        <TextInput label={people.account.login} value={user.login} variant="filled" readOnly />
        <TextInput label={people.account.name} {...name.input} autoComplete="name" />
        <Select
          label={people.account.defaultGroup}
          data={groups.map(({ guid, name }) => ({ value: guid, label: name }))}
          value={group}
          onChange={setGroup}
          allowDeselect={false}
        />
      </div>
      <Checkbox
        label={people.account.newLinksPrivate}
        description={texts.create.switches.private.description}
        checked={isPrivate}
        onChange={({ currentTarget }) => setIsPrivate(currentTarget.checked)}
      />
      <FormEnd isBusy={save.isPending} />
    </Form>
  )
}
