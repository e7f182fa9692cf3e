import { MultiSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import type { BrandedDomain } from '../../api/types.js'
import { Dialog } from '../../parts/Dialog.js'
import { DialogEnd } from '../../parts/DialogEnd.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'

interface DomainSettingsProps {
  readonly domain: BrandedDomain
  readonly onClose: () => void
}

/** Which groups may use a domain, and where its root and unknown links lead. */
export function DomainSettings({ domain: { domain, organization_guid, ...current }, onClose }: DomainSettingsProps) {
  const { data: groups = [] } = useQuery(groupsQuery)
  const [chosen, setChosen] = useState<string[]>(current.group_guids)
  const [root, setRoot] = useState(current.root_url ?? '')
  const [notFound, setNotFound] = useState(current.not_found_url ?? '')
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid, domain } }
      const body = { group_guids: chosen, root_url: root.trim(), not_found_url: notFound.trim() }
      return ask(api.PATCH('/v4/organizations/{organization_guid}/domains/{domain}', { params, body }))
    },
    onSuccess: async () => {
      onClose()
      showDone(texts.common.saved)
      await client.invalidateQueries({ queryKey: ['organizations', organization_guid] })
      await client.invalidateQueries({ queryKey: ['groups'], exact: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const isAbout = (field: string) =>
    save.error instanceof ApiError && save.error.fieldMessage(field) !== undefined ? errorText(save.error) : undefined
  const isElsewhere = save.error && !isAbout('root_url') && !isAbout('not_found_url')
  const { domains } = people
  return (
    <Dialog onClose={onClose} title={domains.settingsOf(domain)}>
      <form onSubmit={submit} className={page.form}>
        <MultiSelect
          label={domains.groups}
          data={groups
            .filter((group) => group.organization_guid === organization_guid)
            .map(({ guid, name }) => ({ value: guid, label: name }))}
          value={chosen}
          onChange={setChosen}
        />
        <TextInput
          label={domains.rootUrlField}
          description={domains.urlHint}
          placeholder="https://www.example.com"
          value={root}
          onChange={({ currentTarget }) => setRoot(currentTarget.value)}
          error={isAbout('root_url')}
        />
        <TextInput
          label={domains.notFoundUrl}
          description={domains.urlHint}
          placeholder="https://www.example.com/not-found"
          value={notFound}
          onChange={({ currentTarget }) => setNotFound(currentTarget.value)}
          error={isAbout('not_found_url')}
        />
        <DialogEnd error={isElsewhere && save.error} isBusy={save.isPending} onClose={onClose} />
      </form>
    </Dialog>
  )
}
