import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { organizationsQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import { Form, useField } from '../../parts/Form.js'
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
  const name = useField(current)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid: guid } }
      return ask(api.PATCH('/v4/organizations/{organization_guid}', { params, body: { name: name.value.trim() } }))
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['organizations'] })
      showDone(texts.common.saved)
    },
    onError: showError,
  })
  return (
    <Form onSubmit={() => save.mutate()} className={page.line}>
      <TextInput aria-label={people.settings.name} {...name.input} required />
      <Button type="submit" variant="default" loading={save.isPending} disabled={name.value.trim() === current}>
        {texts.common.save}
      </Button>
    </Form>
  )
}
