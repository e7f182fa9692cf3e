import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { useFieldErrors, wrongUrl } from '../../parts/field-errors.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { type Application, type ApplicationScope, applicationScopes } from './queries.js'
import { ScopesField } from './ScopesField.js'

interface ApplicationDialogProps {
  readonly application: Application | undefined
  /** With the secret of a new application. */
  readonly onSaved: (secret: string | undefined) => void
  readonly onClose: () => void
}

export function ApplicationDialog({ application, onSaved, onClose }: ApplicationDialogProps) {
  const name = useField(application?.name ?? '')
  const link = useField(application?.link ?? '')
  const uris = useField(application?.redirect_uris.join('\n') ?? '')
  const [pkce, setPkce] = useState(application?.require_oauth_pkce ?? false)
  const [scopes, setScopes] = useState<ApplicationScope[]>([...(application?.scopes ?? (['all'] as const))])
  const save = useMutation({
    mutationFn: async (): Promise<string | undefined> => {
      const redirect_uris = uris.value.split(/\s+/).filter(Boolean)
      const shared = { redirect_uris, require_oauth_pkce: pkce, scopes }
      const body = { name: name.value.trim(), link: link.value.trim(), ...shared }
      if (!application) return (await ask(api.POST('/v4/user/applications', { body }))).client_secret
      const params = { path: { client_id: application.client_id } }
      await ask(api.PATCH('/v4/user/applications/{client_id}', { params, body }))
      return undefined
    },
    onSuccess: onSaved,
  })
  const errors = useFieldErrors(save.error, ['name', 'link', 'redirect_uris'], {
    link: wrongUrl(link.value),
    redirect_uris: uris.value.split(/\s+/).some((uri) => uri !== '' && !URL.canParse(uri)) && texts.errors.wrongUrl,
  })
  const { account } = people
  return (
    <Dialog onClose={onClose} title={application ? account.editApplication : account.register}>
      <Form onSubmit={() => save.mutate()} onChange={() => save.isError && save.reset()}>
        <TextInput label={account.applicationName} {...name.input} error={errors.of('name')} required data-autofocus />
        <TextInput
          label={account.applicationLink}
          placeholder="https://desk.example.com"
          {...link.input}
          error={errors.of('link')}
        />
        <Textarea
          label={account.redirectUris}
          placeholder="https://desk.example.com/back"
          rows={3}
          {...uris.input}
          error={errors.of('redirect_uris')}
          required
        />
        <Checkbox
          label={account.pkce}
          checked={pkce}
          onChange={({ currentTarget }) => setPkce(currentTarget.checked)}
        />
        <ScopesField
          label={account.tokenForm.mayApplication}
          value={scopes}
          onChange={setScopes}
          of={applicationScopes}
        />
        <FormEnd error={errors.other && save.error} isBusy={save.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
