/**
 * Makes a link. The destination is enough: paste it and press Enter. After that the link is on the clipboard, and shown
 * with its QR code.
 */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { isOther } from '../../api/is-other.js'
import { DraftDialog } from '../../parts/DraftDialog.js'
import { Form } from '../../parts/Form.js'
import { useFieldErrors } from '../../parts/field-errors.js'
import { useKeptDraft } from '../../parts/kept-draft.js'
import { ProblemLine } from '../../parts/Problem.js'
import { showError } from '../../parts/toasts.js'
import { type CreateRequest, createDraft } from '../../shell/create-link.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { BackHalfField } from './BackHalfField.js'
import { checksOf } from './checks.js'
import { copyOf, emptyDraft, newLinkOf } from './draft.js'
import { fieldNames, LinkFields } from './LinkFields.js'
import styles from './LinkForm.module.css'
import { MadeDialog } from './MadeDialog.js'
import { Preview } from './Preview.js'
import { placeLink, useCreateLink, useDomains } from './queries.js'
import { submitByKey } from './submit-by-key.js'

interface CreateDialogProps {
  readonly request: CreateRequest
  readonly onClose: () => void
}

export function CreateDialog({ request, onClose }: CreateDialogProps) {
  return request.made ? (
    <MadeDialog made={request.made} onClose={onClose} />
  ) : (
    <NewLinkDialog request={request} onClose={onClose} />
  )
}

function NewLinkDialog({ request, onClose }: CreateDialogProps) {
  const group_guid = useGroupGuid()
  const [preferred = ''] = useDomains(group_guid)
  const [start] = useState(request.like ? copyOf(request.like) : { ...emptyDraft, longUrl: request.longUrl ?? '' })
  const [form, keepForm, forget] = useKeptDraft(createDraft(group_guid), { draft: start, domain: '', keyword: '' })
  const { draft, keyword } = form
  const domain = form.domain || preferred
  const close = () => {
    forget()
    onClose()
  }

  const create = useCreateLink(group_guid, async ({ id }) => {
    forget()
    // The link exists, whatever becomes of this.
    await placeLink(draft.placement, id).catch(showError)
  })
  const errors = useFieldErrors(create.error, fieldNames, checksOf(draft))
  const change = (changed: Partial<typeof form>) => {
    keepForm({ ...form, ...changed })
    if (create.isError) create.reset()
  }
  const submit = () => {
    create.mutate({
      ...newLinkOf(draft),
      ...(domain && { domain }),
      ...(keyword.trim() && { keyword: keyword.trim() }),
    })
  }

  return (
    <DraftDialog
      isChanged={isOther(start, draft) || keyword !== ''}
      onClose={close}
      title={texts.shell.createLink}
      size="xl"
    >
      {(leave) => (
        <Form onSubmit={submit} onKeyDown={submitByKey} className={styles.withPreview}>
          <LinkFields
            draft={draft}
            onChange={(changed) => change({ draft: { ...draft, ...changed } })}
            errors={errors}
            titleHint={texts.create.titleHint}
          >
            <BackHalfField
              group={group_guid}
              domain={domain}
              keyword={keyword}
              onDomain={(chosen) => change({ domain: chosen })}
              onKeyword={(typed) => change({ keyword: typed })}
              domainError={errors.of('domain')}
              keywordError={errors.of('keyword')}
            />
          </LinkFields>
          <Preview group={group_guid} draft={draft} address={`${domain}/${keyword.trim()}`} />
          <ProblemLine>{errors.other}</ProblemLine>
          <div className={styles.end}>
            <Button variant="default" onClick={leave}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {texts.create.submit}
            </Button>
          </div>
        </Form>
      )}
    </DraftDialog>
  )
}
