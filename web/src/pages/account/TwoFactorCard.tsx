import { Badge, Button, PasswordInput, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.layer.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { useGroupGuid } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'

/** Turns an authenticator app on and off. Each step asks for the password, as the API does. */
export function TwoFactorCard() {
  const { data } = useQuery({ queryKey: ['user', 'two_factor'], queryFn: () => ask(api.GET('/v4/user/two_factor')) })
  const client = useQueryClient()
  // Here, because they are shown while it is on already.
  const [newCodes, setNewCodes] = useState<readonly string[]>()
  const onTurnedOn = (codes: readonly string[]) => {
    setNewCodes(codes)
    return client.invalidateQueries({ queryKey: ['user'] })
  }
  const { account } = people
  const badge = data && (
    <Badge variant="light" color={data.is_enabled ? 'green' : 'gray'}>
      {data.is_enabled ? account.on : account.off}
    </Badge>
  )
  return (
    <Card title={account.twoFactor} actions={badge}>
      {newCodes && <RecoveryCodes codes={newCodes} onDone={() => setNewCodes(undefined)} />}
      {data && !newCodes && data.is_enabled && <TurnOff codesLeft={data.recovery_codes_left} />}
      {data && !newCodes && !data.is_enabled && <TurnOn onDone={onTurnedOn} />}
    </Card>
  )
}

function TurnOn({ onDone }: { readonly onDone: (codes: readonly string[]) => Promise<void> }) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const start = useMutation({ mutationFn: () => ask(api.POST('/v4/user/two_factor/app', { body: { password } })) })
  const confirm = useMutation({
    mutationFn: () => ask(api.POST('/v4/user/two_factor/app/confirm', { body: { code: code.trim() } })),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })
  const { account } = people
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (start.data) confirm.mutate()
    else start.mutate()
  }
  const problem = confirm.error ?? start.error
  return (
    <form onSubmit={submit} className={page.form}>
      <p className={page.hint}>{account.twoFactorHint}</p>
      {start.data ? (
        <>
          <SecretCode uri={start.data.otpauth_uri} />
          <div className={page.secret}>
            {start.data.secret}
            <CopyButton value={start.data.secret} />
          </div>
          <TextInput
            label={account.code}
            description={account.codeHint}
            inputMode="numeric"
            autoComplete="one-time-code"
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
            required
          />
        </>
      ) : (
        <PasswordInput
          label={account.currentPassword}
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          required
        />
      )}
      {problem && (
        <p role="alert" className={page.problem}>
          {errorText(problem)}
        </p>
      )}
      <div className={page.end}>
        <Button type="submit" variant="default" loading={start.isPending || confirm.isPending}>
          {start.data ? account.confirm : account.turnOn}
        </Button>
      </div>
    </form>
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

function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  return (
    <div className={page.form}>
      <p className={page.hint}>{people.account.recoveryHint}</p>
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

function TurnOff({ codesLeft }: { readonly codesLeft: number }) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const client = useQueryClient()
  const turnOff = useMutation({
    mutationFn: () => ask(api.DELETE('/v4/user/two_factor', { body: { password, code: code.trim() } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['user'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    turnOff.mutate()
  }
  const { account } = people
  return (
    <form onSubmit={submit} className={page.form}>
      <p className={page.hint}>{account.codesLeft(codesLeft)}</p>
      <div className={page.pair}>
        <PasswordInput
          label={account.currentPassword}
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          required
        />
        <TextInput
          label={account.code}
          autoComplete="one-time-code"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          required
        />
      </div>
      {turnOff.error && (
        <p role="alert" className={page.problem}>
          {errorText(turnOff.error)}
        </p>
      )}
      <div className={page.end}>
        <Button type="submit" variant="default" loading={turnOff.isPending}>
          {account.turnOff}
        </Button>
      </div>
    </form>
  )
}
