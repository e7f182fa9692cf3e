import { PasswordInput, Skeleton, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.layer.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { userQuery } from '../../api/queries.js'
import type { User } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import page from '../../parts/page.module.css'
import { Secret } from '../../parts/Secret.js'
import { people } from '../../texts/people.js'

export function EmailCard() {
  const { data: user } = useQuery(userQuery)
  return (
    <Card title={people.account.email} hint={user && currentAddress(user)}>
      {user ? <EmailForm user={user} /> : <Skeleton height={120} />}
    </Card>
  )
}

function EmailForm({ user }: { readonly user: User }) {
  const email = useField('')
  const password = useField('')
  const change = useMutation({
    mutationFn: () =>
      ask(api.POST('/v4/user/email', { body: { email: email.value.trim(), password: password.value } })),
    onSuccess: () => {
      email.set('')
      password.set('')
    },
  })
  const isSent = change.data?.delivery === 'sent'
  return (
    <Form onSubmit={() => change.mutate()} isOneLine>
      <div className={page.pair}>
        <TextInput label={people.account.newEmail} type="email" autoComplete="email" {...email.input} required />
        <PasswordInput
          label={people.account.currentPassword}
          autoComplete="current-password"
          {...password.input}
          required
        />
      </div>
      {change.data && (
        <div role="status">
          <p className={page.hint}>
            {isSent ? people.account.emailLinkSent(change.data.email) : people.account.emailLinkNotSent}
          </p>
          {/* The link must reach the mailbox that it confirms, so it is not shown here. */}
          {!isSent && <Secret value={`bin/shortlink user email ${user.login} ${change.data.email}`} />}
        </div>
      )}
      <FormEnd error={change.error} isBusy={change.isPending} action={people.account.sendEmailLink} variant="default" />
    </Form>
  )
}

function currentAddress({ emails }: User): string {
  const current = emails.find(({ is_primary }) => is_primary)
  if (!current) return people.account.noEmail
  return current.is_verified
    ? people.account.emailConfirmed(current.email)
    : people.account.emailNotConfirmed(current.email)
}
