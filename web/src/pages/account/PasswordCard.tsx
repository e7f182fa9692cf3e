import { PasswordInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.layer.css'
import { useMutation } from '@tanstack/react-query'
import { api, ask, forgetSession } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'

export function PasswordCard() {
  const current = useField('')
  const next = useField('')
  const change = useMutation({
    mutationFn: () =>
      ask(api.PATCH('/v4/user/password', { body: { current_password: current.value, new_password: next.value } })),
    onSuccess: () => {
      current.set('')
      next.set('')
      // A new password ends every session, this one too.
      forgetSession()
      showDone(people.account.passwordChanged)
    },
  })
  return (
    <Card title={people.account.password}>
      <Form onSubmit={() => change.mutate()} isOneLine>
        <div className={page.pair}>
          <PasswordInput
            label={people.account.currentPassword}
            autoComplete="current-password"
            {...current.input}
            required
          />
          <PasswordInput
            label={people.account.newPassword}
            description={people.account.passwordHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="new-password"
            {...next.input}
            required
          />
        </div>
        <FormEnd
          error={change.error}
          isBusy={change.isPending}
          action={people.account.changePassword}
          variant="default"
        />
      </Form>
    </Card>
  )
}
