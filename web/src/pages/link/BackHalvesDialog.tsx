/** The custom back-halves of a link: add one, see where each led before, move one to another link. */
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, ask } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import type { ShortLink } from '../../api/types.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, useField } from '../../parts/Form.js'
import { errorText } from '../../parts/Problem.js'
import { RunButton } from '../../parts/RunButton.js'
import { texts } from '../../texts/texts.js'
import { BackHalf } from './BackHalf.js'
import styles from './BackHalves.module.css'
import { pathOf } from './queries.js'

interface BackHalvesDialogProps {
  readonly link: ShortLink
  readonly group: string
  readonly mayWrite: boolean
  readonly onClose: () => void
}

export function BackHalvesDialog({ link, group, mayWrite, onClose }: BackHalvesDialogProps) {
  return (
    <Dialog onClose={onClose} title={texts.link.backHalves} size="lg">
      {mayWrite && <AddBackHalf link={link} group={group} />}
      {link.custom_shortlinks.length === 0 && <p className={styles.none}>{texts.link.noBackHalves}</p>}
      <ul className={styles.list}>
        {link.custom_shortlinks.map((address) => (
          <li key={address}>
            <BackHalf address={address} link={link} group={group} mayWrite={mayWrite} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function AddBackHalf({ link, group }: { readonly link: ShortLink; readonly group: string }) {
  const { domain } = pathOf(link.id)
  const keyword = useField('')
  const client = useQueryClient()
  const onSuccess = async () => {
    keyword.set('')
    await refreshGroup(client, group)
  }
  const add = useMutation({
    mutationFn: () =>
      ask(
        api.POST('/v4/shortlinks', {
          body: { shortlink_id: link.id, keyword: keyword.value.trim(), group_guid: group },
        }),
      ),
    onSuccess,
  })
  const move = useMutation({
    mutationFn: () => {
      const params = { path: { domain, keyword: keyword.value.trim() } }
      return ask(api.PATCH('/v4/custom_shortlinks/{domain}/{keyword}', { params, body: { shortlink_id: link.id } }))
    },
    onSuccess: async () => {
      add.reset()
      await onSuccess()
    },
  })
  // Only on a domain of one's own, and only what the same group holds.
  const couldMove = add.error instanceof ApiError && add.error.code === 'KEYWORD_UNAVAILABLE'
  const error = move.error ?? add.error
  const reset = () => {
    add.reset()
    move.reset()
  }
  return (
    <Form onSubmit={() => add.mutate()} onChange={reset} className={styles.add}>
      <TextInput
        label={texts.link.addBackHalf}
        description={texts.link.on(domain)}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        {...keyword.input}
        error={error && (couldMove && !move.error ? texts.link.heldByOther : errorText(error))}
        autoComplete="off"
        maxLength={50}
        required
        data-autofocus
      />
      {couldMove && !move.error ? (
        <RunButton run={move}>{texts.link.moveHere}</RunButton>
      ) : (
        <Button type="submit" loading={add.isPending} disabled={keyword.value.trim() === ''}>
          {texts.link.add}
        </Button>
      )}
    </Form>
  )
}
