/** QR codes of the group: pictures to download and to embed, and a studio that makes and changes them. */
import { Button, SegmentedControl } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.layer.css'
import '@mantine/core/styles/SegmentedControl.layer.css'
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { api, ask, withEtag } from '../../api/client.js'
import type { QrCode } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { readModified, useCarefulDelete } from '../../parts/careful-delete.js'
import { Empty } from '../../parts/Empty.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import page from '../../parts/page.module.css'
import { Rows } from '../../parts/Rows.js'
import { SearchField } from '../../parts/SearchField.js'
import { showDone, showError } from '../../parts/toasts.js'
import { useMayWrite } from '../../shell/current-group.js'
import { useShortcuts } from '../../shell/shortcuts.js'
import { texts } from '../../texts/texts.js'
import { CodeRow, nameOf } from './CodeRow.js'
import styles from './QrCodesPage.module.css'
import { codesQuery } from './queries.js'

const Studio = lazyPart(() => import('./studio/Studio.js'), 'Studio')
const EmbedDialog = lazyPart(() => import('./EmbedDialog.js'), 'EmbedDialog')
const route = getRouteApi('/$group/qr-codes')

export function QrCodesPage() {
  const { group } = route.useParams()
  const { edit, embed, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = useMayWrite()
  const [isMaking, setIsMaking] = useState(false)
  const [deleting, setDeleting] = useState<QrCode>()
  const field = useRef<HTMLInputElement>(null)
  const codes = useInfiniteQuery({ ...codesQuery(group, filters), placeholderData: keepPreviousData })
  const { qrCodes } = texts
  useShortcuts([{ keys: '/', label: texts.shell.shortcuts.search, run: () => field.current?.focus() }])
  const filter = (changed: typeof filters) => void navigate({ search: { ...filters, ...changed }, replace: true })
  const close = () => void navigate({ search: filters })
  const isFiltered = filters.q !== undefined || filters.archived !== undefined
  const isEmpty = !isFiltered && codes.data?.pages.every((each) => each.qr_codes.length === 0)
  const create = mayWrite && (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsMaking(true)}>
      {qrCodes.create}
    </Button>
  )
  return (
    <>
      <PageHead title={texts.shell.qrCodes}>{!isEmpty && create}</PageHead>
      <div className={page.wide}>
        <div className={styles.bar}>
          <SearchField
            className={styles.search}
            field={field}
            label={qrCodes.searchPlaceholder}
            value={filters.q}
            onSearch={(q) => filter({ q })}
          />
          <SegmentedControl
            aria-label={texts.links.filters.archived}
            data={[
              { value: 'off', label: qrCodes.inUse },
              { value: 'on', label: texts.links.filters.archived },
            ]}
            value={filters.archived ?? 'off'}
            onChange={(chosen) => filter({ archived: chosen === 'on' ? 'on' : undefined })}
          />
        </div>
        <Card>
          <Rows
            className={styles.codes}
            query={{ ...codes, data: codes.data?.pages.flatMap(({ qr_codes }) => qr_codes) }}
            keyOf={({ qrcode_id }) => qrcode_id}
            row={(code) => (
              <CodeRow
                code={code}
                mayWrite={mayWrite}
                onEdit={() => void navigate({ search: { ...filters, edit: code.qrcode_id } })}
                onEmbed={() => void navigate({ search: { ...filters, embed: code.qrcode_id } })}
                onDelete={() => setDeleting(code)}
              />
            )}
            empty={
              isFiltered ? (
                <NoneMatch onReset={() => void navigate({ search: {}, replace: true })} />
              ) : (
                <Empty drawing="codes" title={qrCodes.none} action={create}>
                  {qrCodes.noneHint}
                </Empty>
              )
            }
          />
        </Card>
      </div>
      {isMaking && <Studio group={group} onClose={() => setIsMaking(false)} />}
      {edit !== undefined && mayWrite && <Studio key={edit} group={group} code={edit} onClose={close} />}
      {embed !== undefined && <EmbedDialog group={group} code={embed} onClose={close} />}
      {deleting && <DeleteDialog code={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

function NoneMatch({ onReset }: { readonly onReset: () => void }) {
  const { qrCodes, links } = texts
  const reset = (
    <Button variant="default" onClick={onReset}>
      {links.resetFilters}
    </Button>
  )
  return (
    <Empty drawing="search" title={qrCodes.noneMatch} action={reset}>
      {links.noneMatchHint}
    </Empty>
  )
}

function DeleteDialog({ code, onClose }: { readonly code: QrCode; readonly onClose: () => void }) {
  const client = useQueryClient()
  const { qrCodes } = texts
  const params = { path: { qrcode_id: code.qrcode_id } }
  const remove = useCarefulDelete({
    shown: code.modified,
    read: () => readModified(api.GET('/v4/qr-codes/{qrcode_id}', { params, headers: withEtag })),
    remove: (headers) => ask(api.DELETE('/v4/qr-codes/{qrcode_id}', { params, headers })),
    onSuccess: async () => {
      onClose()
      showDone(qrCodes.deleted)
      // Not what belongs to the code, which is still in the list and would ask for it.
      for (const key of [['qr-codes', 'list'], ['shortlinks']]) {
        await client.invalidateQueries({ queryKey: ['groups', code.group_guid, ...key] })
      }
    },
    // A code that may have been printed stays; the API says so.
    onError: (error) => {
      onClose()
      showError(error)
    },
  })
  return (
    <ConfirmDialog
      title={qrCodes.deleteTitle(nameOf(code))}
      action={texts.common.delete}
      warning={remove.warning}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {qrCodes.deleteHint}
    </ConfirmDialog>
  )
}
