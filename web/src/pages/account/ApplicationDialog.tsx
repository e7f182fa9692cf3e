import { Checkbox, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, api, ask } from '../../api/client.js'
import { Dialog } from '../../parts/Dialog.js'
import { DialogEnd } from '../../parts/DialogEnd.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { people } from '../../texts/people.js'
import type { Application } from './queries.js'

interface ApplicationDialogProps {
  readonly application: Application | undefined
  /** With the secret of a new application. */
  readonly onSaved: (secret: string | undefined) => void
  readonly onClose: () => void
}

export function ApplicationDialog({ application, onSaved, onClose }: ApplicationDialogProps) {
  const [name, setName] = useState(application?.name ?? '')
  const [link, setLink] = useState(application?.link ?? '')
  const [uris, setUris] = useState(application?.redirect_uris.join('\n') ?? '')
  const [pkce, setPkce] = useState(application?.require_oauth_pkce ?? false)
  const save = useMutation({
    mutationFn: async (): Promise<string | undefined> => {
      const redirect_uris = uris.split(/\s+/).filter(Boolean)
      const body = { name: name.trim(), link: link.trim(), redirect_uris, require_oauth_pkce: pkce }
      if (!application) return (await ask(api.POST('/v4/user/applications', { body }))).client_secret
      const params = { path: { client_id: application.client_id } }
      await ask(api.PATCH('/v4/user/applications/{client_id}', { params, body }))
      return undefined
    },
    onSuccess: onSaved,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const problem = (field: string) =>
    save.error instanceof ApiError && save.error.fieldMessage(field) !== undefined ? errorText(save.error) : undefined
  const isElsewhere = save.error && !['name', 'link', 'redirect_uris'].some(problem)
  const { account } = people
  return (
    <Dialog onClose={onClose} title={application ? account.editApplication : account.register}>
      <form onSubmit={submit} onChange={() => save.isError && save.reset()} className={page.form}>
        <TextInput
          label={account.applicationName}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={problem('name')}
          required
          data-autofocus
        />
        <TextInput
          label={account.applicationLink}
          placeholder="https://desk.example.com"
          value={link}
          onChange={({ currentTarget }) => setLink(currentTarget.value)}
          error={problem('link')}
        />
        <Textarea
          label={account.redirectUris}
          placeholder="https://desk.example.com/back"
          rows={3}
          value={uris}
          onChange={({ currentTarget }) => setUris(currentTarget.value)}
          error={problem('redirect_uris')}
          required
        />
        <Checkbox
          label={account.pkce}
          checked={pkce}
          onChange={({ currentTarget }) => setPkce(currentTarget.checked)}
        />
        <DialogEnd error={isElsewhere && save.error} isBusy={save.isPending} onClose={onClose} />
      </form>
    </Dialog>
  )
}
