import { Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import type { TagDetails } from '../../api/queries.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { fieldErrors } from '../../parts/field-errors.js'
import { formatNumber } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { isTag } from '../../parts/TagsField.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import type { Job } from '../imports/queries.js'
import styles from './Tags.module.css'

interface TagDialogProps {
  readonly group: string
  readonly tag: TagDetails
  /** All tags of the group. */
  readonly known: readonly TagDetails[]
  /** With the job, if many links have it. */
  readonly onSaved: (job: Job | undefined) => Promise<void>
  readonly onClose: () => void
}

const colors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const
type Changed = Partial<Pick<TagDetails, 'name' | 'color' | 'description'>> & { readonly merge?: boolean }

function useSave({ group, tag, onSaved }: TagDialogProps) {
  return useMutation({
    mutationFn: (body: Changed) => {
      const params = { path: { group_guid: group, tag: tag.name } }
      return ask(api.PATCH('/v4/groups/{group_guid}/tags/{tag}', { params, body }))
    },
    onSuccess: (saved) => onSaved(jobIn(saved)),
  })
}

/** What changes a tag that many have answers with a job. */
export function jobIn(answer: object | undefined): Job | undefined {
  return answer && 'guid' in answer ? (answer as Job) : undefined
}

/** Name, color and description of a tag. A new name says what it changes. */
export function EditTagDialog(props: TagDialogProps) {
  const { tag, known, onClose } = props
  const name = useField(tag.name)
  const [color, setColor] = useState(tag.color)
  const description = useField(tag.description)
  const save = useSave(props)
  const said = people.settings.tags
  const wanted = name.value.trim().normalize('NFC')
  const isRenamed = wanted !== tag.name
  const isTaken = isRenamed && known.some((each) => each.name === wanted)
  const errors = fieldErrors(save.error, ['name', 'description'])
  const submit = () => {
    if (isTag(wanted) && !isTaken) save.mutate({ name: wanted, color, description: description.value.trim() })
  }
  const wrong = isTag(wanted) ? isTaken && said.taken : texts.tags.invalid(wanted)
  return (
    <Dialog onClose={onClose} title={said.editTitle(tag.name)}>
      <Form onSubmit={submit} onChange={() => save.isError && save.reset()}>
        <TextInput
          label={said.name}
          description={isRenamed && !wrong ? said.renames(whatHas(tag)) : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...name.input}
          error={wrong || errors.of('name')}
          autoComplete="off"
          required
          data-autofocus
        />
        <fieldset className={styles.colors}>
          <legend>{said.color}</legend>
          {colors.map((each) => (
            <label key={each} className={styles.color} data-tag-color={each} title={said.colors[each]}>
              <input
                type="radio"
                name="color"
                className="visually-hidden"
                checked={color === each}
                onChange={() => setColor(each)}
              />
              <span className="visually-hidden">{said.colors[each]}</span>
            </label>
          ))}
        </fieldset>
        <TextInput
          label={said.description}
          placeholder={said.descriptionHint}
          {...description.input}
          error={errors.of('description')}
          maxLength={200}
          autoComplete="off"
        />
        <FormEnd error={errors.other && save.error} isBusy={save.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

/** Which tag takes the place of this one. */
export function MergeTagDialog(props: TagDialogProps) {
  const { tag, known, onClose } = props
  const [into, setInto] = useState<string | null>(null)
  const save = useSave(props)
  const said = people.settings.tags
  const submit = () => {
    if (into !== null) save.mutate({ name: into, merge: true })
  }
  return (
    <Dialog onClose={onClose} title={said.mergeTitle(tag.name)}>
      <Form onSubmit={submit}>
        <Select
          label={said.into}
          data={known.map(({ name }) => name).filter((name) => name !== tag.name)}
          value={into}
          onChange={setInto}
          searchable
          required
          data-autofocus
        />
        <p className={page.hint}>{into !== null && said.mergeHint(tag.name, into, whatHas(tag))}</p>
        <FormEnd error={save.error} isBusy={save.isPending} action={said.mergeAction} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

/** “12 links and 1 QR code”. */
export function whatHas({ links, qr_codes }: TagDetails): string {
  const said = people.settings.tags
  const parts = [
    ...(links > 0 ? [said.links(links, formatNumber(links))] : []),
    ...(qr_codes > 0 ? [said.codes(qr_codes, formatNumber(qr_codes))] : []),
  ]
  return parts.join(said.and)
}
