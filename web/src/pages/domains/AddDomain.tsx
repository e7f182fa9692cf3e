import { MultiSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { errorText } from '../../parts/Problem.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { domainTexts as words } from '../../texts/domains.js'
import { useRefresh } from './queries.js'

interface AddDomainProps {
  readonly organization: string
  readonly onClose: () => void
}

/** The first step: which domain, for whom. The next ones are on its page. */
export function AddDomain({ organization, onClose }: AddDomainProps) {
  const group = useGroupGuid()
  const { data: groups = [] } = useQuery(groupsQuery)
  const domain = useField('')
  const [chosen, setChosen] = useState<string[]>([group])
  const navigate = useNavigate()
  const refresh = useRefresh(organization)
  const add = useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid: organization } }
      const body = { domain: domain.value.trim().toLowerCase(), group_guids: chosen }
      return ask(api.POST('/v4/organizations/{organization_guid}/domains', { params, body }))
    },
    onSuccess: async (added) => {
      onClose()
      await navigate({ to: '/$group/domains/$domain', params: { group, domain: added.domain } })
      await refresh()
    },
  })
  const own = groups.filter(({ organization_guid }) => organization_guid === organization)
  return (
    <Dialog onClose={onClose} title={words.add}>
      <Form onSubmit={() => add.mutate()}>
        <TextInput
          label={words.domain}
          description={words.domainHint}
          placeholder="go.example.com"
          {...domain.input}
          error={add.error && errorText(add.error)}
          autoComplete="off"
          required
          data-autofocus
        />
        <MultiSelect
          label={words.groups}
          data={own.map(({ guid, name }) => ({ value: guid, label: name }))}
          value={chosen}
          onChange={setChosen}
        />
        <FormEnd isBusy={add.isPending} action={words.add} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
