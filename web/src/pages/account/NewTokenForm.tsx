import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import type { Scope } from '../../api/types.js'
import { Form, useField } from '../../parts/Form.js'
import page from '../../parts/page.module.css'
import { NewSecret } from '../../parts/Secret.js'
import { showError } from '../../parts/toasts.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { useDomains } from '../create/queries.js'
import { ScopesField } from './ScopesField.js'

/** In days; 0: never. */
const lifetimes = [0, 7, 30, 90, 365]

/** Makes a token: what it is for, what it may do, in which groups, on which domains and for how long. */
export function NewTokenForm({ onMade }: { readonly onMade: () => void }) {
  const { tokenForm: words, ...account } = people.account
  const { data: groups = [] } = useQuery(groupsQuery)
  const label = useField('')
  const [scopes, setScopes] = useState<Scope[]>(['all'])
  const [days, setDays] = useState(0)
  const [groupGuids, setGroupGuids] = useState<string[]>([])
  const [domains, setDomains] = useState<string[]>([])
  const known = [...new Set([...useDomains(useGroupGuid()), ...groups.flatMap(({ bsds }) => bsds)])]
  const make = useMutation({
    mutationFn: () => {
      const expiry = days > 0 && { expiration_at: new Date(Date.now() + days * 86_400_000).toISOString() }
      const limits = {
        ...(groupGuids.length > 0 && { group_guids: groupGuids }),
        ...(domains.length > 0 && { domains }),
      }
      return ask(api.POST('/v4/user/tokens', { body: { label: label.value.trim(), scopes, ...expiry, ...limits } }))
    },
    onSuccess: () => {
      label.set('')
      onMade()
    },
    onError: showError,
  })
  return (
    <Form onSubmit={() => make.mutate()}>
      {make.data && <NewSecret hint={account.tokenOnce} value={make.data.access_token} />}
      <div className={page.pair}>
        <TextInput label={account.tokenLabel} required maxLength={255} {...label.input} />
        <NativeSelect
          label={words.expires}
          value={String(days)}
          onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
          data={lifetimes.map((each) => ({ value: String(each), label: words.lifetime(each) }))}
        />
      </div>
      <ScopesField label={words.may} value={scopes} onChange={setScopes} />
      {groups.length > 1 && (
        <Checkbox.Group label={words.groups} description={words.groupsHint} value={groupGuids} onChange={setGroupGuids}>
          {groups.map(({ guid, name }) => (
            <Checkbox key={guid} value={guid} label={name} mt="xs" />
          ))}
        </Checkbox.Group>
      )}
      {known.length > 1 && (
        <Checkbox.Group label={words.domains} description={words.domainsHint} value={domains} onChange={setDomains}>
          {known.map((domain) => (
            <Checkbox key={domain} value={domain} label={domain} mt="xs" />
          ))}
        </Checkbox.Group>
      )}
      <div className={page.end}>
        <Button type="submit" variant="default" loading={make.isPending} disabled={scopes.length === 0}>
          {account.makeToken}
        </Button>
      </div>
    </Form>
  )
}
