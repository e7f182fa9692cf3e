/** Makes a QR code, or changes one. The picture changes while one chooses. */
import { Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, withEtag } from '../../../api/client.js'
import { isOther } from '../../../api/is-other.js'
import { type Edit, saveMerged, tagged } from '../../../api/save-merged.js'
import type { QrCodeDetails, ShortLink } from '../../../api/types.js'
import { Dialog } from '../../../parts/Dialog.js'
import { useMergedSave } from '../../../parts/merged-save.js'
import { Problem } from '../../../parts/Problem.js'
import { showDone } from '../../../parts/toasts.js'
import { withScheme } from '../../../parts/with-scheme.js'
import { texts } from '../../../texts/texts.js'
import { codeQuery } from '../queries.js'
import { CodeConflicts, fields } from './CodeConflicts.js'
import { plain } from './design.js'
import { type Draft, designOf, StudioForm } from './StudioForm.js'

interface StudioProps {
  readonly group: string
  /** The id of the code that is changed; a new one is made without. */
  readonly code?: string | undefined
  /** The short link that a new code leads through. */
  readonly link?: ShortLink | undefined
  readonly onClose: () => void
}

export function Studio({ group, code, link, onClose }: StudioProps) {
  if (code === undefined) return <NewCode group={group} link={link} onClose={onClose} />
  return <SavedCode group={group} id={code} onClose={onClose} />
}

function NewCode({ group, link, onClose }: StudioProps) {
  const client = useQueryClient()
  const [empty] = useState<Draft>({ longUrl: '', title: link?.title ?? '', ...plain })
  const [draft, setDraft] = useState(empty)
  const create = useMutation({
    mutationFn: () => {
      const title = draft.title.trim()
      const destination = link ? { shortlink_id: link.id } : { long_url: withScheme(draft.longUrl) }
      const body = { group_guid: group, destination, render_customizations: designOf(draft), ...(title && { title }) }
      return ask(api.POST('/v4/qr-codes', { body }))
    },
    onSuccess: () => {
      onClose()
      showDone(texts.qrCodes.made)
      // Links tell which codes they have.
      for (const resource of ['qr-codes', 'shortlinks']) {
        void client.invalidateQueries({ queryKey: ['groups', group, resource] })
      }
    },
  })
  return (
    <StudioForm
      group={group}
      heading={texts.qrCodes.create}
      action={texts.qrCodes.create}
      saved={empty}
      draft={draft}
      onChange={setDraft}
      link={link?.id}
      contentOf={({ longUrl }) => link?.link ?? (longUrl.trim() || 'https://example.com')}
      error={create.error}
      isBusy={create.isPending}
      onSave={() => create.mutate()}
      onClose={onClose}
    />
  )
}

interface SavedCodeProps {
  readonly group: string
  readonly id: string
  readonly onClose: () => void
}

function SavedCode({ group, id, onClose }: SavedCodeProps) {
  const [opened] = useState(Date.now)
  const found = useQuery({ ...codeQuery(group, id), refetchOnMount: 'always' })
  // What is in the cache may be old, and would be saved again. A form that is open stays, also if reading fails later.
  if (found.data && found.dataUpdatedAt >= opened)
    return <ChangedCode group={group} code={found.data} onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={texts.qrCodes.edit} size="60rem">
      {found.isError ? (
        <Problem error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <Skeleton height={480} aria-label={texts.common.loading} />
      )}
    </Dialog>
  )
}

interface ChangedCodeProps {
  readonly group: string
  readonly code: QrCodeDetails
  readonly onClose: () => void
}

function ChangedCode({ group, code, onClose }: ChangedCodeProps) {
  const client = useQueryClient()
  const [edit, keep] = useState<Edit<Draft>>(() => ({ before: draftOf(code), draft: draftOf(code) }))
  const { before, draft } = edit
  const params = { path: { qrcode_id: code.qrcode_id } }
  const save = useMutation({
    mutationFn: (sent: Edit<Draft>) =>
      saveMerged(sent, {
        ...fields,
        read: async () => {
          const [found, etag] = await tagged(api.GET('/v4/qr-codes/{qrcode_id}', { params, headers: withEtag }))
          return [draftOf(found), etag]
        },
        send: async (changes, headers, all) => {
          const { longUrl, title, ...design } = changes
          let condition = headers
          // The design is replaced as a whole.
          const whole = Object.keys(design).length > 0 && { render_customizations: designOf(all) }
          if (title !== undefined || whole) {
            const body = { ...(title !== undefined && { title }), ...whole }
            const patched = tagged(api.PATCH('/v4/qr-codes/{qrcode_id}', { params, body, headers }))
            const [, etag] = await patched.catch((error) => {
              // The form shows what was refused, with what others did.
              const theirs = fields.withFieldsOf(all, Object.keys(changes) as (keyof Draft)[], sent.before)
              if (isOther(theirs, sent.before)) keep({ before: theirs, draft: all })
              throw error
            })
            // If the next step fails, this one is not repeated, and what others did is not undone.
            keep((now) => ({
              before: { ...all, longUrl: sent.before.longUrl },
              draft: { ...all, longUrl: now.draft.longUrl },
            }))
            condition = headers['if-match'] && etag ? { 'if-match': etag } : {}
          }
          if (longUrl === undefined) return
          const body = { long_url: longUrl }
          await ask(api.PATCH('/v4/qr-codes/{qrcode_id}/redirect', { params, body, headers: condition }))
        },
      }),
    onSuccess: () => {
      onClose()
      showDone(texts.common.saved)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['groups', group, 'qr-codes'] }),
  })
  const link = code.qr_code_type === 'long_url' ? undefined : code.shortlink_id
  const tidied = { ...draft, title: draft.title.trim(), longUrl: link ? draft.longUrl : withScheme(draft.longUrl) }
  const merged = useMergedSave({ fields, edit: { before, draft: tidied }, keep, mutation: save })
  const content = code.serialized_content
  return (
    <StudioForm
      group={group}
      heading={texts.qrCodes.edit}
      action={texts.common.save}
      saved={before}
      draft={draft}
      onChange={(change) => keep((now) => ({ ...now, draft: change(now.draft) }))}
      link={link}
      contentOf={() => content}
      conflicts={merged.conflicts && <CodeConflicts group={group} content={content} {...merged.conflicts} />}
      error={merged.error}
      isBusy={save.isPending}
      onSave={merged.save}
      onClose={onClose}
    />
  )
}

function draftOf({ long_urls, title = '', render_customizations }: QrCodeDetails): Draft {
  return { longUrl: long_urls[0] ?? '', title, ...render_customizations }
}
