import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { tokensQuery } from '../../api/queries.js'
import type { Token } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { formatAge, formatDay } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { NewSecret } from '../../parts/Secret.js'
import { showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { NewTokenForm } from './NewTokenForm.js'

/** Access tokens for programs: made here, shown once, rotated, revoked. Those of applications are in ConnectionsCard. */
export function TokensCard() {
  const client = useQueryClient()
  const tokens = useQuery(tokensQuery)
  const [revoked, setRevoked] = useState<Token>()
  const [rotated, setRotated] = useState<Token>()
  const refresh = () => client.invalidateQueries({ queryKey: tokensQuery.queryKey })
  const revoke = useMutation({
    mutationFn: (guid: string) => ask(api.DELETE('/v4/user/tokens/{guid}', { params: { path: { guid } } })),
    onSuccess: async () => {
      setRevoked(undefined)
      await refresh()
    },
    onError: showError,
  })
  const rotate = useMutation({
    mutationFn: (guid: string) => {
      const body = { overlap: 86_400 }
      return ask(api.POST('/v4/user/tokens/{guid}/rotate', { params: { path: { guid } }, body }))
    },
    onSuccess: async () => {
      setRotated(undefined)
      await refresh()
    },
    onError: showError,
  })
  const { account } = people
  const { tokenForm: words } = account
  const hasExpired = ({ expiration_at: at }: Token) => at !== undefined && new Date(at).getTime() <= Date.now()
  const about = (token: Token) =>
    [
      `…${token.hint}`,
      `${account.made} ${formatDay(token.created)}`,
      token.last_used_at ? `${account.lastUsed} ${formatAge(token.last_used_at)}` : account.neverUsed,
      ...(token.expiration_at ? [words.until(formatDay(token.expiration_at), hasExpired(token))] : []),
      token.scopes.map((scope) => (scope === 'all' ? words.presets.everything : words.scopeNames[scope])).join(', '),
      ...(token.group_guids ? [words.inGroups(token.group_guids.length)] : []),
      ...(token.domains ? [words.onDomains(token.domains.join(', '))] : []),
      ...(token.replaced_by ? [words.replaced] : []),
    ].join(' · ')
  return (
    <Card title={account.tokens} hint={account.tokensHint}>
      <NewTokenForm onMade={() => void refresh()} />
      {rotate.data && <NewSecret hint={account.tokenOnce} value={rotate.data.access_token} />}
      <Rows
        query={{ ...tokens, data: tokens.data?.filter(({ client_id }) => client_id === undefined) }}
        keyOf={({ guid }) => guid}
        empty={account.noTokens}
        row={(token) => (
          <>
            <RowText title={token.label || account.unnamedToken}>{about(token)}</RowText>
            <div className={page.end}>
              {!token.replaced_by && !hasExpired(token) && (
                <Button variant="subtle" onClick={() => setRotated(token)}>
                  {words.rotate}
                </Button>
              )}
              <Button variant="subtle" color="red" onClick={() => setRevoked(token)}>
                {account.revoke}
              </Button>
            </div>
          </>
        )}
      />
      {rotated && (
        <ConfirmDialog
          title={words.rotateTitle(rotated.label || account.unnamedToken)}
          action={words.rotate}
          isBusy={rotate.isPending}
          onConfirm={() => rotate.mutate(rotated.guid)}
          onClose={() => setRotated(undefined)}
        >
          {words.rotateHint}
        </ConfirmDialog>
      )}
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
