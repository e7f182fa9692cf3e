/** Changes a link. Only what was changed is sent; where others changed the same, the person chooses. */
import { Button } from '@mantine/core'
import { Archive, ArchiveRestore, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { isOther } from '../../api/is-other.js'
import type { ShortLink } from '../../api/types.js'
import { DraftDialog } from '../../parts/DraftDialog.js'
import { useFieldErrors } from '../../parts/field-errors.js'
import { useKeptDraft } from '../../parts/kept-draft.js'
import { useMergedSave } from '../../parts/merged-save.js'
import { ProblemLine } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import { checksOf } from '../create/checks.js'
import { changesOf, draftOf, isMoved } from '../create/draft.js'
import { type FormPlace, fieldNames, LinkFields } from '../create/LinkFields.js'
import styles from '../create/LinkForm.module.css'
import { Preview } from '../create/Preview.js'
import { submitByKey } from '../create/submit-by-key.js'
import { linkFields, useChangeLink } from './change-link.js'
import { DeleteDialog } from './DeleteDialog.js'
import { LinkConflicts } from './LinkConflicts.js'
import { shownAddress, useArchiveLink } from './queries.js'

interface EditDialogProps {
  readonly link: ShortLink
  readonly group: string
  /** Where the form opens; at its beginning, unless given. */
  readonly place?: FormPlace | undefined
  readonly onClose: () => void
  readonly onDeleted: () => void | Promise<void>
}

export function EditDialog({ link, group, place, onClose, onDeleted }: EditDialogProps) {
  // `before` is as it was when the dialog opened: what others change meanwhile is not overwritten with old values.
  const [start] = useState(() => draftOf(link))
  const [form, keepForm, forget] = useKeptDraft(`edit ${group} ${link.id}`, { before: start, draft: start })
  const { before, draft } = form
  const close = () => {
    forget()
    onClose()
  }
  const [isDeleting, setIsDeleting] = useState(false)
  const change = useChangeLink(group, link)
  const archive = useArchiveLink(group)
  const changes = changesOf(before, draft)
  const merged = useMergedSave({ fields: linkFields, edit: form, keep: keepForm, mutation: change, onSaved: close })
  const errors = useFieldErrors(merged.error, fieldNames, checksOf(draft, before))
  const save = (event: FormEvent) => {
    event.preventDefault()
    void merged.save()
  }
  if (isDeleting) {
    return <DeleteDialog link={link} group={group} onClose={() => setIsDeleting(false)} onDeleted={onDeleted} />
  }
  return (
    <DraftDialog
      isChanged={isOther(before, draft)}
      onClose={close}
      title={texts.link.edit(shownAddress(link))}
      size="xl"
    >
      {(leave) => (
        <form onSubmit={save} onKeyDown={submitByKey} className={styles.withPreview}>
          <LinkFields
            draft={draft}
            onChange={(changed) => {
              keepForm({ before, draft: { ...draft, ...changed } })
              if (change.isError) change.reset()
            }}
            errors={errors}
            place={place}
            hasNote
            campaigns={link.campaign_ids}
            destinationHint={isMoved(before, draft) ? texts.link.moveHint : undefined}
          />
          <Preview group={group} draft={draft} address={shownAddress(link)} />
          {merged.conflicts && <LinkConflicts group={group} id={link.id} {...merged.conflicts} />}
          <ProblemLine>{errors.other}</ProblemLine>
          <div className={styles.end}>
            <div className={styles.endLeft}>
              <Button
                variant="subtle"
                color="gray"
                data-autofocus={place === 'archived' || undefined}
                leftSection={link.archived ? <ArchiveRestore size={16} /> : <Archive size={16} />}
                loading={archive.isPending}
                onClick={() => {
                  archive.toggle(link)
                  leave()
                }}
              >
                {link.archived ? texts.links.restore : texts.links.archive}
              </Button>
              <Button
                variant="subtle"
                color="red"
                leftSection={<Trash2 size={16} />}
                onClick={() => setIsDeleting(true)}
              >
                {texts.common.delete}
              </Button>
            </div>
            <Button variant="default" onClick={leave}>
              {texts.common.cancel}
            </Button>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={Object.keys(changes).length === 0 && draft.leaves.length === 0 && !draft.placement.channel}
            >
              {texts.common.save}
            </Button>
          </div>
        </form>
      )}
    </DraftDialog>
  )
}
