import { TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { QrDesign } from '../../../api/types.js'
import { DraftDialog } from '../../../parts/DraftDialog.js'
import { Form, FormEnd } from '../../../parts/Form.js'
import page from '../../../parts/page.module.css'
import { studio } from '../../../texts/studio.js'
import { texts } from '../../../texts/texts.js'
import { DesignFields } from './DesignFields.js'
import { Preview } from './Preview.js'
import styles from './Studio.module.css'

export interface Draft {
  readonly longUrl: string
  readonly title: string
  readonly design: QrDesign
}

interface StudioFormProps {
  readonly group: string
  readonly heading: string
  readonly action: string
  readonly saved: Draft
  /** The short link that the code leads through, whose destination is changed there. */
  readonly link?: string | undefined
  /** What the picture says. */
  readonly contentOf: (draft: Draft) => string
  readonly error: unknown
  readonly isBusy: boolean
  readonly onSave: (draft: Draft) => void
  readonly onClose: () => void
}

export function StudioForm(props: StudioFormProps) {
  const { group, heading, action, saved, link, contentOf, error, isBusy, onSave, onClose } = props
  const [draft, setDraft] = useState(saved)
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  return (
    <DraftDialog isChanged={!isSame(draft, saved)} onClose={onClose} title={heading} size="xl">
      {(leave) => (
        <Form
          onSubmit={() => onSave({ ...draft, longUrl: draft.longUrl.trim(), title: draft.title.trim() })}
          className={styles.studio}
        >
          <div className={page.form}>
            {link === undefined ? (
              <TextInput
                label={texts.create.destination}
                description={saved.longUrl !== '' && studio.redirectHint}
                placeholder="https://example.com/menu"
                value={draft.longUrl}
                onChange={({ currentTarget }) => change({ longUrl: currentTarget.value })}
                inputMode="url"
                autoComplete="off"
                required
                data-autofocus={saved.longUrl === '' || undefined}
              />
            ) : (
              <p className={page.hint}>
                {studio.ofTheLink} <LinkTo group={group} id={link} />
              </p>
            )}
            <TextInput
              label={texts.create.title}
              value={draft.title}
              onChange={({ currentTarget }) => change({ title: currentTarget.value })}
              data-autofocus={link !== undefined || saved.longUrl !== '' || undefined}
            />
            <DesignFields
              group={group}
              design={draft.design}
              onChange={(changed) => setDraft((now) => ({ ...now, design: changed(now.design) }))}
            />
          </div>
          <Preview group={group} content={contentOf(draft)} design={draft.design} />
          <div className={styles.end}>
            <FormEnd error={error} isBusy={isBusy} action={action} onClose={leave} />
          </div>
        </Form>
      )}
    </DraftDialog>
  )
}

function LinkTo({ group, id }: { readonly group: string; readonly id: string }) {
  const [domain = '', hash = ''] = id.split('/')
  return (
    <Link to="/$group/links/$domain/$hash" params={{ group, domain, hash }}>
      {id}
    </Link>
  )
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
