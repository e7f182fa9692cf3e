import { Button } from '@mantine/core'
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { applicationQuery, tokensQuery } from '../../api/queries.js'
import type { Token } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { formatAge, formatDay } from '../../parts/format.js'
import { Rows, RowText } from '../../parts/Rows.js'
import { showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'

interface Connection {
  readonly clientId: string
  readonly tokens: readonly Token[]
  readonly lastUsed: string | undefined
  readonly since: string
}

/** Applications that hold tokens of the person. */
export function ConnectionsCard() {
  const client = useQueryClient()
  const tokens = useQuery(tokensQuery)
  const connections = tokens.data && connectionsOf(tokens.data)
  const names = useQueries({
    queries: (connections ?? []).map(({ clientId }) => applicationQuery(clientId)),
  })
  const nameOf = (clientId: string) => {
    const index = connections?.findIndex((each) => each.clientId === clientId) ?? -1
    return names[index]?.data ?? clientId.slice(0, 12)
  }
  const [leaving, setLeaving] = useState<Connection>()
  const disconnect = useMutation({
    mutationFn: async ({ tokens: given }: Connection) => {
      for (const { guid } of given) await ask(api.DELETE('/v4/user/tokens/{guid}', { params: { path: { guid } } }))
    },
    onSuccess: () => setLeaving(undefined),
    onError: showError,
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  })
  const { account } = people
  return (
    <Card title={account.connections} hint={account.connectionsHint}>
      <Rows
        query={{ ...tokens, data: connections }}
        keyOf={({ clientId }) => clientId}
        empty={account.noConnections}
        row={(connection) => (
          <>
            <RowText title={nameOf(connection.clientId)}>
              {account.made} {formatDay(connection.since)} ·{' '}
              {connection.lastUsed ? `${account.lastUsed} ${formatAge(connection.lastUsed)}` : account.neverUsed}
            </RowText>
            <Button variant="subtle" color="red" onClick={() => setLeaving(connection)}>
              {account.disconnect}
            </Button>
          </>
        )}
      />
      {leaving && (
        <ConfirmDialog
          title={account.disconnectTitle(nameOf(leaving.clientId))}
          action={account.disconnect}
          isBusy={disconnect.isPending}
          onConfirm={() => disconnect.mutate(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          {account.disconnectHint}
        </ConfirmDialog>
      )}
    </Card>
  )
}

function connectionsOf(tokens: readonly Token[]): readonly Connection[] {
  const byClient = new Map<string, Token[]>()
  for (const token of tokens) {
    if (token.client_id) byClient.set(token.client_id, [...(byClient.get(token.client_id) ?? []), token])
  }
  return [...byClient].map(([clientId, given]) => ({
    clientId,
    tokens: given,
    lastUsed: given
      .flatMap(({ last_used_at }) => last_used_at ?? [])
      .sort()
      .at(-1),
    since: given.map(({ created }) => created).sort()[0] ?? '',
  }))
}
