import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { Rows, RowText } from '../../parts/Rows.js'
import { NewSecret } from '../../parts/Secret.js'
import { showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { type Application, applicationsQuery } from './queries.js'

const ApplicationDialog = lazyPart(() => import('./ApplicationDialog.js'), 'ApplicationDialog')

type Step =
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly application: Application }
  | { readonly kind: 'new' }

/** OAuth applications that the person registered. */
export function ApplicationsCard() {
  const client = useQueryClient()
  const applications = useQuery(applicationsQuery)
  const [step, setStep] = useState<Step>()
  const [secret, setSecret] = useState<string>()
  const refresh = () => client.invalidateQueries({ queryKey: applicationsQuery.queryKey })
  const rotate = useMutation({
    mutationFn: (client_id: string) =>
      ask(api.POST('/v4/user/applications/{client_id}/secret', { params: { path: { client_id } } })),
    onSuccess: ({ client_secret }) => {
      setStep(undefined)
      setSecret(client_secret)
    },
    onError: showError,
  })
  const revoke = useMutation({
    mutationFn: (client_id: string) =>
      ask(api.DELETE('/v4/user/applications/{client_id}', { params: { path: { client_id } } })),
    onSuccess: async () => {
      setStep(undefined)
      await refresh()
    },
    onError: showError,
  })
  const { account } = people
  return (
    <Card
      title={account.applications}
      hint={account.applicationsHint}
      actions={
        <Button variant="default" onClick={() => setStep({ kind: 'new' })}>
          {account.register}
        </Button>
      }
    >
      {secret && <NewSecret hint={account.secretOnce} value={secret} />}
      <Rows
        query={applications}
        keyOf={({ client_id }) => client_id}
        empty={account.noApplications}
        row={(application) => (
          <>
            <RowText title={application.name}>
              {account.clientId} {application.client_id}
              <CopyButton value={application.client_id} />
            </RowText>
            <Button variant="subtle" onClick={() => setStep({ kind: 'edit', application })}>
              {account.edit}
            </Button>
            <Button variant="subtle" onClick={() => setStep({ kind: 'rotate', application })}>
              {account.rotate}
            </Button>
            <Button variant="subtle" color="red" onClick={() => setStep({ kind: 'revoke', application })}>
              {account.revoke}
            </Button>
          </>
        )}
      />
      {(step?.kind === 'new' || step?.kind === 'edit') && (
        <ApplicationDialog
          application={step.kind === 'edit' ? step.application : undefined}
          onSaved={(made) => {
            setStep(undefined)
            if (made !== undefined) setSecret(made)
            void refresh()
          }}
          onClose={() => setStep(undefined)}
        />
      )}
      {step?.kind === 'rotate' && (
        <ConfirmDialog
          title={account.rotateTitle(step.application.name)}
          action={account.rotate}
          isBusy={rotate.isPending}
          onConfirm={() => rotate.mutate(step.application.client_id)}
          onClose={() => setStep(undefined)}
        >
          {account.rotateHint}
        </ConfirmDialog>
      )}
      {step?.kind === 'revoke' && (
        <ConfirmDialog
          title={account.revokeApplication(step.application.name)}
          action={account.revoke}
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate(step.application.client_id)}
          onClose={() => setStep(undefined)}
        >
          {account.revokeApplicationHint}
        </ConfirmDialog>
      )}
    </Card>
  )
}
