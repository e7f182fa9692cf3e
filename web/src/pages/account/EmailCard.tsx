import { Button, PasswordInput, Skeleton, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.layer.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { userQuery } from '../../api/queries.js'
import type { User } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { people } from '../../texts/people.js'

export function EmailCard() {
  const { data: user } = useQuery(userQuery)
  return <Card title={people.account.email}>{user ? <EmailForm user={user} /> : <Skeleton height={120} />}</Card>
}

function EmailForm({ user }: { readonly user: User }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () => ask(api.POST('/v4/user/email', { body: { email: email.trim(), password } })),
    onSuccess: () => {
      setEmail('')
      setPassword('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <form onSubmit={submit} className={page.form}>
      <p className={page.hint}>{currentAddress(user)}</p>
      <div className={page.pair}>
        <TextInput
          label={people.account.newEmail}
          type="email"
          autoComplete="email"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          required
        />
        <PasswordInput
          label={people.account.currentPassword}
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          required
        />
      </div>
      {change.error && (
        <p role="alert" className={page.problem}>
          {errorText(change.error)}
        </p>
      )}
      {change.data && (
        <div role="status">
          {change.data.delivery === 'sent' ? (
            <p className={page.hint}>{people.account.emailLinkSent(change.data.email)}</p>
          ) : (
            <NotSent command={`bin/shortlink user email ${user.login} ${change.data.email}`} />
          )}
        </div>
      )}
      <div className={page.end}>
        <Button type="submit" variant="default" loading={change.isPending}>
          {people.account.sendEmailLink}
        </Button>
      </div>
    </form>
  )
}

/** The link must reach the mailbox that it confirms, so it is not shown here. */
function NotSent({ command }: { readonly command: string }) {
  return (
    <>
      <p className={page.hint}>{people.account.emailLinkNotSent}</p>
      <div className={page.secret}>
        {command}
        <CopyButton value={command} />
      </div>
    </>
  )
}

function currentAddress({ emails }: User): string {
  const current = emails.find(({ is_primary }) => is_primary)
  if (!current) return people.account.noEmail
  return current.is_verified
    ? people.account.emailConfirmed(current.email)
    : people.account.emailNotConfirmed(current.email)
}
