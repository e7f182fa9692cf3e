import { Button, PasswordInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.layer.css'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask, forgetSession } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'

export function PasswordCard() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useMutation({
    mutationFn: () => ask(api.PATCH('/v4/user/password', { body: { current_password: current, new_password: next } })),
    onSuccess: () => {
      setCurrent('')
      setNext('')
      // A new password ends every session, this one too.
      forgetSession()
      showDone(people.account.passwordChanged)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <Card title={people.account.password}>
      <form onSubmit={submit} className={page.form}>
        <div className={page.pair}>
          <PasswordInput
            label={people.account.currentPassword}
            autoComplete="current-password"
            value={current}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
            required
          />
          <PasswordInput
            label={people.account.newPassword}
            description={people.account.passwordHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="new-password"
            value={next}
            onChange={({ currentTarget }) => setNext(currentTarget.value)}
            required
          />
        </div>
        {change.error && (
          <p role="alert" className={page.problem}>
            {errorText(change.error)}
          </p>
        )}
        <div className={page.end}>
          <Button type="submit" variant="default" loading={change.isPending}>
            {people.account.changePassword}
          </Button>
        </div>
      </form>
    </Card>
  )
}
