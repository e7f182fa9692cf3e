import { TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isOther } from '../../../api/is-other.js'
import type { QrDesign } from '../../../api/types.js'
import { DraftDialog } from '../../../parts/DraftDialog.js'
import { Form, FormEnd } from '../../../parts/Form.js'
import page from '../../../parts/page.module.css'
import { studio } from '../../../texts/studio.js'
import { texts } from '../../../texts/texts.js'
import { DesignFields } from './DesignFields.js'
import { Preview } from './Preview.js'
import styles from './Studio.module.css'

/** With the parts of the design as fields of their own: two people may change two of them. */
export type Draft = QrDesign & { readonly longUrl: string; readonly title: string }

export function designOf({ longUrl: _, title: __, ...design }: Draft): QrDesign {
  return design
}

interface StudioFormProps {
  readonly group: string
  readonly heading: string
  readonly action: string
  readonly saved: Draft
  readonly draft: Draft
  readonly onChange: (change: (draft: Draft) => Draft) => void
  /** The short link that the code leads through, whose destination is changed there. */
  readonly link?: string | undefined
  /** What the picture says. */
  readonly contentOf: (draft: Draft) => string
  /** What somebody else changed meanwhile. */
  readonly conflicts?: ReactNode
  readonly error: unknown
  readonly isBusy: boolean
  readonly onSave: () => void
  readonly onClose: () => void
}

export function StudioForm(props: StudioFormProps) {
  const { group, heading, action, saved, draft, onChange, link, contentOf, error, isBusy, onSave, onClose } = props
  const { longUrl, title } = draft
  const change = (part: Partial<Draft>) => onChange((now) => ({ ...now, ...part }))
  return (
    <DraftDialog isChanged={isOther(draft, saved)} onClose={onClose} title={heading} size="60rem">
      {(leave) => (
        <Form onSubmit={onSave} className={styles.studio}>
          <div className={page.form}>
            {link === undefined ? (
              <TextInput
                label={texts.create.destination}
                description={saved.longUrl !== '' && studio.redirectHint}
                placeholder="https://example.com/menu"
                value={longUrl}
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
              value={title}
              onChange={({ currentTarget }) => change({ title: currentTarget.value })}
              data-autofocus={link !== undefined || saved.longUrl !== '' || undefined}
            />
            <DesignFields
              group={group}
              design={designOf(draft)}
              onChange={(changed) =>
                onChange((now) => ({ longUrl: now.longUrl, title: now.title, ...changed(designOf(now)) }))
              }
            />
          </div>
          <Preview group={group} content={contentOf(draft)} design={designOf(draft)} />
          <div className={styles.end}>
            {props.conflicts}
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
