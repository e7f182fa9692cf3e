/** Makes a QR code, or changes one. The picture changes while one chooses. */
import { Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../../api/client.js'
import type { QrCodeDetails, ShortLink } from '../../../api/types.js'
import { Dialog } from '../../../parts/Dialog.js'
import { Problem } from '../../../parts/Problem.js'
import { showDone } from '../../../parts/toasts.js'
import { withScheme } from '../../../parts/with-scheme.js'
import { texts } from '../../../texts/texts.js'
import { codeQuery } from '../queries.js'
import { plain } from './design.js'
import { type Draft, isSame, StudioForm } from './StudioForm.js'

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
  const [empty] = useState<Draft>({ longUrl: '', title: link?.title ?? '', design: plain })
  const create = useMutation({
    mutationFn: ({ longUrl, title, design }: Draft) => {
      const destination = link ? { shortlink_id: link.id } : { long_url: withScheme(longUrl) }
      const body = { group_guid: group, destination, render_customizations: design, ...(title && { title }) }
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
      link={link?.id}
      contentOf={({ longUrl }) => link?.link ?? (longUrl.trim() || 'https://example.com')}
      error={create.error}
      isBusy={create.isPending}
      onSave={create.mutate}
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
  // What is in the cache may be old, and would be saved again.
  const found = useQuery({ ...codeQuery(group, id), refetchOnMount: 'always' })
  if (found.data && found.isFetchedAfterMount && !found.isError)
    return <ChangedCode group={group} code={found.data} onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={texts.qrCodes.edit} size="xl">
      {found.isError ? (
        <Problem error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <Skeleton height={360} aria-label={texts.common.loading} />
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
  const [saved, setSaved] = useState<Draft>(() => draftOf(code))
  const params = { path: { qrcode_id: code.qrcode_id } }
  const save = useMutation({
    mutationFn: async ({ longUrl, title, design }: Draft) => {
      const body = {
        ...(title !== saved.title && { title }),
        ...(!isSame(design, saved.design) && { render_customizations: design }),
      }
      if (Object.keys(body).length > 0) {
        await ask(api.PATCH('/v4/qr-codes/{qrcode_id}', { params, body }))
        // If the next step fails, this one is not repeated.
        setSaved((now) => ({ ...now, title, design }))
      }
      if (longUrl === saved.longUrl) return
      await ask(api.PATCH('/v4/qr-codes/{qrcode_id}/redirect', { params, body: { long_url: withScheme(longUrl) } }))
    },
    onSuccess: () => {
      onClose()
      showDone(texts.common.saved)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['groups', group, 'qr-codes'] }),
  })
  return (
    <StudioForm
      group={group}
      heading={texts.qrCodes.edit}
      action={texts.common.save}
      saved={saved}
      link={code.qr_code_type === 'long_url' ? undefined : code.shortlink_id}
      contentOf={() => code.serialized_content}
      error={save.error}
      isBusy={save.isPending}
      onSave={save.mutate}
      onClose={onClose}
    />
  )
}

function draftOf({ long_urls, title = '', render_customizations }: QrCodeDetails): Draft {
  return { longUrl: long_urls[0] ?? '', title, design: render_customizations }
}
