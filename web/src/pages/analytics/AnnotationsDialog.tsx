/** The annotations of the group: what happened when. */
import { ActionIcon, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { formatMoment } from '../../parts/format.js'
import { useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import styles from './AnnotationsDialog.module.css'
import { annotationsQuery, useChangeAnnotations } from './annotations.js'

interface AnnotationsDialogProps {
  readonly group: string
  readonly onClose: () => void
}

export function AnnotationsDialog({ group, onClose }: AnnotationsDialogProps) {
  const { annotations: words } = texts.analytics
  const mayWrite = useMayWrite()
  const { data = [] } = useQuery(annotationsQuery(group))
  const { remove } = useChangeAnnotations(group)
  return (
    <Dialog onClose={onClose} title={words.title}>
      {mayWrite && <AddForm group={group} onClose={onClose} />}
      {data.length === 0 && !mayWrite && <p className={styles.none}>{words.none}</p>}
      <ul className={styles.list}>
        {data.map((annotation) => (
          <li key={annotation.guid}>
            <div>
              <strong>{annotation.text}</strong>
              <span>
                {formatMoment(annotation.at)}, {annotation.created_by}
              </span>
            </div>
            {mayWrite && (
              <ActionIcon
                size="lg"
                aria-label={words.remove(annotation.text)}
                onClick={() => remove.mutate(annotation)}
              >
                <Trash2 size={16} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function AddForm({ group, onClose }: AnnotationsDialogProps) {
  const { annotations: words } = texts.analytics
  const { add } = useChangeAnnotations(group)
  const text = useField('')
  const when = useField(localNow())
  const submit = () => {
    const happened_at = new Date(when.value).toISOString()
    add.mutate({ happened_at, text: text.value.trim() }, { onSuccess: () => text.set('') })
  }
  return (
    <Form className={styles.form} onSubmit={submit}>
      <TextInput
        label={words.text}
        placeholder={words.example}
        {...text.input}
        maxLength={255}
        autoComplete="off"
        data-autofocus
        required
      />
      <TextInput type="datetime-local" label={words.when} {...when.input} required />
      <FormEnd error={add.error} isBusy={add.isPending} action={words.add} onClose={onClose} />
    </Form>
  )
}

/** As the field writes it: the person's own time, to the minute. */
function localNow(): string {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
