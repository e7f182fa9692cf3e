import { Badge, Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import page from '../../parts/page.module.css'
import { Secret } from '../../parts/Secret.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { ProofFields, useProof } from './Proof.js'
import { twoFactorQuery } from './queries.js'

/** Turns an authenticator app on and off. Each step asks for the password, as the API does. */
export function TwoFactorCard() {
  const { data } = useQuery(twoFactorQuery)
  const client = useQueryClient()
  // Here, because they are shown while it is on already.
  const [newCodes, setNewCodes] = useState<readonly string[]>()
  const onNewCodes = (codes: readonly string[]) => {
    setNewCodes(codes)
    return client.invalidateQueries({ queryKey: ['user'] })
  }
  const { account } = people
  const badge = data && (
    <Badge variant="light" color={data.is_enabled ? 'green' : 'gray'}>
      {data.method === 'sms' ? 'SMS' : data.is_enabled ? account.on : account.off}
    </Badge>
  )
  return (
    <Card title={account.twoFactor} hint={account.twoFactorHint} actions={badge}>
      {newCodes && <RecoveryCodes hint={account.recoveryHint} codes={newCodes} onDone={() => setNewCodes(undefined)} />}
      {data && !newCodes && (
        <>
          {data.is_enabled ? <TurnOff /> : <TurnOn onDone={onNewCodes} />}
          {(data.is_enabled || data.passkeys > 0) && (
            <CodesLeft count={data.recovery_codes_left} onRenewed={onNewCodes} />
          )}
        </>
      )}
    </Card>
  )
}

interface TurnOnProps {
  readonly onDone: (codes: readonly string[]) => Promise<void>
}

function TurnOn({ onDone }: TurnOnProps) {
  const proof = useProof()
  const code = useField('')
  const start = useMutation({
    mutationFn: async () => ask(api.POST('/v4/user/two_factor/app', { body: await proof.read() })),
  })
  const confirm = useMutation({
    mutationFn: () => ask(api.POST('/v4/user/two_factor/app/confirm', { body: { code: code.value.trim() } })),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })
  const { account } = people
  const submit = () => {
    if (start.data) confirm.mutate()
    else start.mutate()
  }
  return (
    <Form onSubmit={submit} isOneLine={!start.data}>
      {start.data ? (
        <>
          <SecretCode uri={start.data.otpauth_uri} />
          <Secret value={start.data.secret} />
          <TextInput
            label={account.code}
            description={account.codeHint}
            inputMode="numeric"
            autoComplete="one-time-code"
            {...code.input}
            required
          />
        </>
      ) : (
        <div className={page.pair}>
          <ProofFields proof={proof} />
        </div>
      )}
      <FormEnd
        error={confirm.error ?? start.error}
        isBusy={start.isPending || confirm.isPending}
        action={start.data ? account.confirm : account.turnOn}
        variant="default"
      />
    </Form>
  )
}

/** The secret as a picture, for the camera of a phone. Without it the secret is typed. */
function SecretCode({ uri }: { readonly uri: string }) {
  const group_guid = useGroupGuid()
  const { data } = useQuery({
    queryKey: ['user', 'two_factor', uri],
    queryFn: () => ask(api.POST('/v4/qr-codes/static', { body: { group_guid, content: uri, format: 'svg' } })),
    enabled: group_guid !== '',
    gcTime: 0,
  })
  const { account } = people
  if (!data || !('image' in data)) return null
  return (
    <img
      className={page.code}
      src={`data:image/svg+xml;base64,${data.image}`}
      alt={account.secretCode}
      width={168}
      height={168}
    />
  )
}

interface RecoveryCodesProps {
  readonly hint: string
  readonly codes: readonly string[]
  readonly onDone: () => void
}

export function RecoveryCodes({ hint, codes, onDone }: RecoveryCodesProps) {
  return (
    <div className={page.form}>
      <p className={page.hint}>{hint}</p>
      <ul className={page.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={page.end}>
        <CopyButton value={codes.join('\n')} label={texts.common.copy} />
        <Button onClick={onDone}>{people.account.kept}</Button>
      </div>
    </div>
  )
}

function TurnOff() {
  const proof = useProof()
  const client = useQueryClient()
  const turnOff = useMutation({
    mutationFn: async () => ask(api.DELETE('/v4/user/two_factor', { body: await proof.read() })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['user'] }),
  })
  return (
    <Form onSubmit={() => turnOff.mutate()} isOneLine>
      <div className={page.pair}>
        <ProofFields proof={proof} />
      </div>
      <FormEnd error={turnOff.error} isBusy={turnOff.isPending} action={people.account.turnOff} variant="default" />
    </Form>
  )
}

interface CodesLeftProps {
  readonly count: number
  readonly onRenewed: (codes: readonly string[]) => Promise<void>
}

function CodesLeft({ count, onRenewed }: CodesLeftProps) {
  const [isRenewing, setRenewing] = useState(false)
  const { account } = people
  return (
    <div className={page.end}>
      <p className={page.hint}>{account.codesLeft(count)}</p>
      <Button variant="default" onClick={() => setRenewing(true)}>
        {account.newCodes}
      </Button>
      {isRenewing && <NewCodes onRenewed={onRenewed} onClose={() => setRenewing(false)} />}
    </div>
  )
}

type NewCodesProps = Pick<CodesLeftProps, 'onRenewed'> & { readonly onClose: () => void }

function NewCodes({ onRenewed, onClose }: NewCodesProps) {
  const proof = useProof()
  const renew = useMutation({
    mutationFn: async () => ask(api.POST('/v4/user/two_factor/recovery_codes', { body: await proof.read() })),
    onSuccess: ({ recovery_codes }) => onRenewed(recovery_codes),
  })
  const { account } = people
  return (
    <Dialog onClose={onClose} title={account.newCodes}>
      <Form onSubmit={() => renew.mutate()}>
        <p className={page.hint}>{account.newCodesHint}</p>
        <ProofFields proof={proof} />
        <FormEnd error={renew.error} isBusy={renew.isPending} action={account.confirm} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
