import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import page from '../../parts/page.module.css'
import { passkeyTexts } from '../../texts/passkeys.js'
import { people } from '../../texts/people.js'
import type { Passkey, PasskeyStep } from './PasskeysCard.js'
import { ProofFields, useProof } from './Proof.js'
import { createPasskey } from './passkey-ceremony.js'

interface DialogProps {
  readonly onDone: (recoveryCodes?: readonly string[]) => void
  readonly onClose: () => void
}

export function PasskeyDialog({ step, ...props }: DialogProps & { readonly step: PasskeyStep }) {
  const texts = passkeyTexts
  const titles = { add: texts.add, rename: texts.rename, remove: '' }
  const title = step.kind === 'remove' ? texts.removeTitle(step.passkey.name) : titles[step.kind]
  return (
    <Dialog onClose={props.onClose} title={title}>
      {step.kind === 'add' && <Add {...props} />}
      {step.kind === 'rename' && <Rename passkey={step.passkey} {...props} />}
      {step.kind === 'remove' && <Remove passkey={step.passkey} isLast={step.isLast} {...props} />}
    </Dialog>
  )
}

/** First the password, then the browser: each asks the person, and some browsers want a click for it. */
function Add({ onDone, onClose }: DialogProps) {
  const proof = useProof()
  const name = useField('')
  const start = useMutation({
    mutationFn: async () => ask(api.POST('/v4/user/passkeys/options', { body: await proof.read() })),
  })
  const create = useMutation({
    mutationFn: async (options: Record<string, unknown>) => {
      const body = { name: name.value, credential: await createPasskey(options) }
      return ask(api.POST('/v4/user/passkeys', { body }))
    },
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })
  const { data } = start
  const submit = () => {
    // A failure may have used up the challenge.
    if (data) return create.mutate(data.public_key, { onError: start.reset })
    create.reset()
    start.mutate()
  }
  return (
    <Form onSubmit={submit}>
      {data ? (
        <TextInput
          label={passkeyTexts.name}
          description={passkeyTexts.nameHint}
          maxLength={60}
          {...name.input}
          required
          autoFocus
        />
      ) : (
        <ProofFields proof={proof} />
      )}
      <FormEnd
        error={start.error ?? create.error}
        isBusy={start.isPending || create.isPending}
        action={data ? passkeyTexts.create : people.account.confirm}
        onClose={onClose}
      />
    </Form>
  )
}

function Rename({ passkey, onDone, onClose }: DialogProps & { readonly passkey: Passkey }) {
  const name = useField(passkey.name)
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { passkey_guid: passkey.guid } }
      return ask(api.PATCH('/v4/user/passkeys/{passkey_guid}', { params, body: { name: name.value } }))
    },
    onSuccess: () => onDone(),
  })
  return (
    <Form onSubmit={() => save.mutate()}>
      <TextInput label={passkeyTexts.name} maxLength={60} {...name.input} required data-autofocus />
      <FormEnd error={save.error} isBusy={save.isPending} onClose={onClose} />
    </Form>
  )
}

type RemoveProps = DialogProps & { readonly passkey: Passkey; readonly isLast: boolean }

function Remove({ passkey, isLast, onDone, onClose }: RemoveProps) {
  const proof = useProof()
  const remove = useMutation({
    mutationFn: async () => {
      const params = { path: { passkey_guid: passkey.guid } }
      return ask(api.DELETE('/v4/user/passkeys/{passkey_guid}', { params, body: await proof.read() }))
    },
    onSuccess: () => onDone(),
  })
  return (
    <Form onSubmit={() => remove.mutate()}>
      <p className={page.hint}>{isLast && !proof.hasCodes ? passkeyTexts.removeLast : passkeyTexts.removeHint}</p>
      <ProofFields proof={proof} />
      <FormEnd error={remove.error} isBusy={remove.isPending} action={passkeyTexts.remove} onClose={onClose} />
    </Form>
  )
}
