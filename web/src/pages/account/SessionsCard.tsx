import { Badge, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { formatAge, formatDay } from '../../parts/format.js'
import { RowMark, Rows, RowText } from '../../parts/Rows.js'
import { RunButton } from '../../parts/RunButton.js'
import { showDone, showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'

const key = ['user', 'sessions']

interface Session {
  readonly id: string
  readonly created: string
  readonly last_seen_at: string
  readonly ip_address?: string
  readonly browser?: string
  readonly os?: string
  readonly is_current: boolean
}

/** Browsers in which the person is signed in; one, or all others, can be signed out. */
export function SessionsCard() {
  const client = useQueryClient()
  const sessions = useQuery({
    queryKey: key,
    queryFn: async (): Promise<readonly Session[]> => (await ask(api.GET('/v4/user/sessions'))).sessions,
  })
  const refresh = () => client.invalidateQueries({ queryKey: key })
  const end = useMutation({
    mutationFn: (session_id: string) =>
      ask(api.DELETE('/v4/user/sessions/{session_id}', { params: { path: { session_id } } })),
    onSuccess: refresh,
    onError: showError,
  })
  const endOthers = useMutation({
    mutationFn: () => ask(api.DELETE('/v4/user/sessions')),
    onSuccess: async ({ ended }) => {
      await refresh()
      showDone(people.account.signedOut(ended))
    },
    onError: showError,
  })
  const others = sessions.data?.some(({ is_current }) => !is_current)
  const { account } = people
  return (
    <Card
      title={account.sessions}
      hint={account.sessionsHint}
      actions={
        others && (
          <RunButton run={endOthers} variant="default">
            {account.signOutOthers}
          </RunButton>
        )
      }
    >
      <Rows
        query={sessions}
        keyOf={({ id }) => id}
        empty={null}
        row={(session) => (
          <>
            <RowMark tone={session.is_current ? 'good' : undefined}>
              <Monitor size={18} />
            </RowMark>
            <RowText title={browserOf(session)}>
              {[
                session.ip_address,
                `${account.signedIn} ${formatDay(session.created)}`,
                `${account.seen} ${formatAge(session.last_seen_at)}`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </RowText>
            {session.is_current ? (
              <Badge variant="light">{account.thisBrowser}</Badge>
            ) : (
              <Button variant="subtle" color="red" onClick={() => end.mutate(session.id)}>
                {account.signOut}
              </Button>
            )}
          </>
        )}
      />
    </Card>
  )
}

function browserOf({ browser, os }: Session): string {
  const { account } = people
  if (browser && os) return account.browserOn(browser, os)
  return browser ?? os ?? account.unknownBrowser
}
