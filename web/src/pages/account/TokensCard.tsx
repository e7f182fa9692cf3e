import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { formatAge, formatDay } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { showError } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'

interface Token {
  readonly guid: string
  readonly label: string
  readonly hint: string
  readonly created: string
  readonly last_used_at?: string
  readonly client_id?: string
}

/** Access tokens for programs: made here, shown once, revoked. Those of connected applications are listed too. */
export function TokensCard() {
  const client = useQueryClient()
  const tokens = useQuery({
    queryKey: ['user', 'tokens'],
    queryFn: async (): Promise<readonly Token[]> => (await ask(api.GET('/v4/user/tokens'))).tokens,
  })
  const [revoked, setRevoked] = useState<Token>()
  const refresh = () => client.invalidateQueries({ queryKey: ['user', 'tokens'] })
  const revoke = useMutation({
    mutationFn: (guid: string) => ask(api.DELETE('/v4/user/tokens/{guid}', { params: { path: { guid } } })),
    onSuccess: async () => {
      setRevoked(undefined)
      await refresh()
    },
    onError: showError,
  })
  const { account } = texts
  return (
    <Card title={account.tokens}>
      <NewToken onMade={() => void refresh()} />
      <Rows
        query={tokens}
        keyOf={({ guid }) => guid}
        empty={<p className={page.hint}>{account.noTokens}</p>}
        row={(token) => (
          <>
            <RowText title={token.label || account.unnamedToken}>
              …{token.hint} · {account.made} {formatDay(token.created)} ·{' '}
              {token.last_used_at ? `${account.lastUsed} ${formatAge(token.last_used_at)}` : account.neverUsed}
              {token.client_id && ` · ${account.ofApplication}`}
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
  const [label, setLabel] = useState('')
  const make = useMutation({
    mutationFn: () => ask(api.POST('/v4/user/tokens', { body: { label: label.trim() } })),
    onSuccess: () => {
      setLabel('')
      onMade()
    },
    onError: showError,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  const { account } = texts
  return (
    <form onSubmit={submit} className={page.form}>
      {make.data && (
        <div role="status">
          <p className={page.hint}>{account.tokenOnce}</p>
          <div className={page.secret}>
            {make.data.access_token}
            <CopyButton value={make.data.access_token} />
          </div>
        </div>
      )}
      <div className={page.pair}>
        <TextInput
          aria-label={account.tokenLabel}
          placeholder={account.tokenLabel}
          value={label}
          onChange={({ currentTarget }) => setLabel(currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={make.isPending}>
          {account.makeToken}
        </Button>
      </div>
    </form>
  )
}
