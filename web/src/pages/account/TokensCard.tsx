import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { Form, useField } from '../../parts/Form.js'
import { formatAge, formatDay } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { NewSecret } from '../../parts/Secret.js'
import { showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { type Token, tokensQuery } from './queries.js'

/** Access tokens for programs: made here, shown once, revoked. Those of applications are in ConnectionsCard. */
export function TokensCard() {
  const client = useQueryClient()
  const tokens = useQuery(tokensQuery)
  const [revoked, setRevoked] = useState<Token>()
  const refresh = () => client.invalidateQueries({ queryKey: tokensQuery.queryKey })
  const revoke = useMutation({
    mutationFn: (guid: string) => ask(api.DELETE('/v4/user/tokens/{guid}', { params: { path: { guid } } })),
    onSuccess: async () => {
      setRevoked(undefined)
      await refresh()
    },
    onError: showError,
  })
  const { account } = people
  return (
    <Card title={account.tokens}>
      <NewToken onMade={() => void refresh()} />
      <Rows
        query={{ ...tokens, data: tokens.data?.filter(({ client_id }) => client_id === undefined) }}
        keyOf={({ guid }) => guid}
        empty={<p className={page.hint}>{account.noTokens}</p>}
        row={(token) => (
          <>
            <RowText title={token.label || account.unnamedToken}>
              …{token.hint} · {account.made} {formatDay(token.created)} ·{' '}
              {token.last_used_at ? `${account.lastUsed} ${formatAge(token.last_used_at)}` : account.neverUsed}
            </RowText>
            <Button variant="subtle" color="red" onClick={() => setRevoked(token)}>
              {account.revoke}
            </Button>
          </>
        )}
      />
      {revoked && (
        <ConfirmDialog
          title={account.revokeTitle(revoked.label || account.unnamedToken)}
          action={account.revoke}
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate(revoked.guid)}
          onClose={() => setRevoked(undefined)}
        >
          {account.revokeHint}
        </ConfirmDialog>
      )}
    </Card>
  )
}

function NewToken({ onMade }: { readonly onMade: () => void }) {
  const label = useField('')
  const make = useMutation({
    mutationFn: () => ask(api.POST('/v4/user/tokens', { body: { label: label.value.trim() } })),
    onSuccess: () => {
      label.set('')
      onMade()
    },
    onError: showError,
  })
  const { account } = people
  return (
    <Form onSubmit={() => make.mutate()}>
      {make.data && <NewSecret hint={account.tokenOnce} value={make.data.access_token} />}
      <div className={page.pair}>
        <TextInput aria-label={account.tokenLabel} placeholder={account.tokenLabel} {...label.input} />
        <Button type="submit" variant="default" loading={make.isPending}>
          {account.makeToken}
        </Button>
      </div>
    </Form>
  )
}
