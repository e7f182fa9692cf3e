import { Button, Checkbox, Select, Skeleton, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery, userQuery } from '../../api/queries.js'
import type { User } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import page from '../../parts/page.module.css'
import { showDone, showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'

export function ProfileCard() {
  const { data: user } = useQuery(userQuery)
  return <Card title={people.account.profile}>{user ? <ProfileForm user={user} /> : <Skeleton height={150} />}</Card>
}

function ProfileForm({ user }: { readonly user: User }) {
  const [name, setName] = useState(user.name)
  const [group, setGroup] = useState<string | null>(user.default_group_guid)
  const [isPrivate, setIsPrivate] = useState(user.default_link_privacy === 'private')
  const { data: groups = [] } = useQuery(groupsQuery)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const default_link_privacy = isPrivate ? 'private' : 'public'
      const body = { name, default_link_privacy, ...(group && { default_group_guid: group }) } as const
      return ask(api.PATCH('/v4/user', { body }))
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['user'] })
      showDone(texts.common.saved)
    },
    onError: showError,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} className={page.form}>
      <div className={page.pair}>
        <TextInput label={people.account.login} value={user.login} readOnly />
        <TextInput
          label={people.account.name}
          value={name}
          autoComplete="name"
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      </div>
      <div className={page.pair}>
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
      <div className={page.end}>
        <Button type="submit" loading={save.isPending}>
          {texts.common.save}
        </Button>
      </div>
    </form>
  )
}
