import { MultiSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import { Dialog } from '../../parts/Dialog.js'
import { DialogEnd } from '../../parts/DialogEnd.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { useGroupGuid } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'

interface AddDomainProps {
  readonly organization: string
  readonly onClose: () => void
}

export function AddDomain({ organization, onClose }: AddDomainProps) {
  const group = useGroupGuid()
  const { data: groups = [] } = useQuery(groupsQuery)
  const [domain, setDomain] = useState('')
  const [chosen, setChosen] = useState<string[]>([group])
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid: organization } }
      const body = { domain: domain.trim().toLowerCase(), group_guids: chosen }
      return ask(api.POST('/v4/organizations/{organization_guid}/domains', { params, body }))
    },
    onSuccess: async () => {
      onClose()
      await client.invalidateQueries({ queryKey: ['organizations', organization] })
      await client.invalidateQueries({ queryKey: ['groups'], exact: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  const own = groups.filter(({ organization_guid }) => organization_guid === organization)
  return (
    <Dialog onClose={onClose} title={people.domains.add}>
      <form onSubmit={submit} className={page.form}>
        <TextInput
          label={people.domains.domain}
          description={people.domains.domainHint}
          placeholder="go.example.com"
          value={domain}
          onChange={({ currentTarget }) => setDomain(currentTarget.value)}
          error={add.error && errorText(add.error)}
          autoComplete="off"
          required
          data-autofocus
        />
        <MultiSelect
          label={people.domains.groups}
          data={own.map(({ guid, name }) => ({ value: guid, label: name }))}
          value={chosen}
          onChange={setChosen}
        />
        <DialogEnd isBusy={add.isPending} action={people.domains.add} onClose={onClose} />
      </form>
    </Dialog>
  )
}
