import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { organizationsQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import page from '../../parts/page.module.css'
import { showDone, showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { GroupsCard } from './GroupsCard.js'

export function OrganizationCard({ guid }: { readonly guid: string }) {
  const { data: organizations } = useQuery(organizationsQuery)
  const organization = organizations?.find((each) => each.guid === guid)
  return (
    <>
      <Card title={people.settings.organization}>
        {organization?.role === 'admin' ? (
          <NameForm key={organization.name} guid={guid} name={organization.name} />
        ) : (
          organization?.name
        )}
      </Card>
      <GroupsCard guid={guid} isAdmin={organization?.role === 'admin'} />
    </>
  )
}

interface NameFormProps {
  readonly guid: string
  readonly name: string
}

function NameForm({ guid, name: current }: NameFormProps) {
  const [name, setName] = useState(current)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid: guid } }
      return ask(api.PATCH('/v4/organizations/{organization_guid}', { params, body: { name: name.trim() } }))
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['organizations'] })
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
      <TextInput
        label={people.settings.name}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        required
      />
      <div className={page.end}>
        <Button type="submit" loading={save.isPending} disabled={name.trim() === current}>
          {texts.common.save}
        </Button>
      </div>
    </form>
  )
}
