import { Button, MultiSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { groupsQuery } from '../../api/queries.js'
import type { BrandedDomain } from '../../api/types.js'
import { Form } from '../../parts/Form.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { domainTexts as words } from '../../texts/domains.js'
import { texts } from '../../texts/texts.js'
import { useChangeDomain } from './queries.js'

export function GroupsStep({ domain }: { readonly domain: BrandedDomain }) {
  const { data: groups = [] } = useQuery(groupsQuery)
  const [chosen, setChosen] = useState<string[]>(domain.group_guids)
  const save = useChangeDomain(domain)
  const isAdmin = useIsAdmin()
  return (
    <Form onSubmit={() => save.mutate({ group_guids: chosen }, { onSuccess: () => showDone(texts.common.saved) })}>
      {domain.group_guids.length === 0 && <p className={page.hint}>{words.groupsStep.none}</p>}
      <MultiSelect
        label={words.groups}
        data={groups
          .filter(({ organization_guid }) => organization_guid === domain.organization_guid)
          .map(({ guid, name }) => ({ value: guid, label: name }))}
        value={chosen}
        onChange={setChosen}
        error={save.error && errorText(save.error)}
      />
      <div className={page.buttons}>
        <Button type="submit" loading={save.isPending} disabled={!isAdmin}>
          {words.groupsStep.change}
        </Button>
      </div>
    </Form>
  )
}
