import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Code, Download, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import type { QrCode } from '../../api/types.js'
import { downloadDataUri } from '../../parts/download.js'
import { formatDay, formatNumber } from '../../parts/format.js'
import icon from '../../parts/IconButton.module.css'
import { RowText } from '../../parts/Rows.js'
import { showError } from '../../parts/toasts.js'
import { plainUrl } from '../../parts/with-scheme.js'
import { texts } from '../../texts/texts.js'
import styles from './QrCodesPage.module.css'
import { picturePath, useArchiveCode } from './queries.js'

interface CodeRowProps {
  readonly code: QrCode
  readonly mayWrite: boolean
  readonly onEdit: () => void
  readonly onEmbed: () => void
  readonly onDelete: () => void
}

export function CodeRow({ code, mayWrite, onEdit, onEmbed, onDelete }: CodeRowProps) {
  const name = nameOf(code)
  return (
    <>
      <img className={styles.picture} src={picturePath(code)} alt={texts.qrCodes.pictureOf(name)} loading="lazy" />
      <RowText
        title={
          <Link to="/$group/qr-codes/$code/analytics" params={{ group: code.group_guid, code: code.qrcode_id }}>
            {name}
          </Link>
        }
      >
        <span className={styles.facts} title={code.long_urls[0]}>
          {plainUrl(code.long_urls[0] ?? '')}
        </span>
        {texts.qrCodes.createdOn(formatDay(code.created))}
        <Scans code={code} />
      </RowText>
      {mayWrite && (
        <button
          type="button"
          className={icon.button}
          aria-label={texts.qrCodes.editOf(name)}
          title={texts.common.edit}
          onClick={onEdit}
        >
          <Pencil size={16} />
        </button>
      )}
      <Menu>
        <Menu.Target>
          <button
            type="button"
            className={icon.button}
            aria-label={texts.qrCodes.download}
            title={texts.qrCodes.download}
          >
            <Download size={16} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {formats.map((format) => (
            <Menu.Item key={format} onClick={() => void download(code, format)}>
              {format.toUpperCase()}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <MoreActions code={code} mayWrite={mayWrite} onEmbed={onEmbed} onDelete={onDelete} />
    </>
  )
}

function MoreActions({ code, mayWrite, onEmbed, onDelete }: Omit<CodeRowProps, 'onEdit'>) {
  const archive = useArchiveCode(code)
  const { qrCodes, links, common } = texts
  return (
    <Menu>
      <Menu.Target>
        <button
          type="button"
          className={icon.button}
          aria-label={qrCodes.actionsOf(nameOf(code))}
          title={qrCodes.actions}
        >
          <Ellipsis size={16} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Code size={16} />} onClick={onEmbed}>
          {qrCodes.embed}
        </Menu.Item>
        {mayWrite && (
          <>
            <Menu.Item
              leftSection={code.archived ? <ArchiveRestore size={16} /> : <Archive size={16} />}
              onClick={() => archive.mutate(!code.archived)}
            >
              {code.archived ? links.restore : links.archive}
            </Menu.Item>
            <Menu.Item leftSection={<Trash2 size={16} />} color="red" onClick={onDelete}>
              {common.delete}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

export function nameOf({ title, shortlink_id }: QrCode): string {
  return title || shortlink_id
}

/** Of all time. */
function Scans({ code: { group_guid, qrcode_id } }: { readonly code: QrCode }) {
  const { data } = useQuery({
    queryKey: ['groups', group_guid, 'qr-codes', qrcode_id, 'scans'],
    queryFn: async () => {
      const params = { path: { qrcode_id }, query: { unit: 'month' as const, units: -1 } }
      return (await ask(api.GET('/v4/qr-codes/{qrcode_id}/scans/summary', { params }))).total_scans
    },
    staleTime: 60_000,
  })
  return (
    <span className={`figures ${styles.scans}`}>
      {data !== undefined && texts.qrCodes.scans(data, formatNumber(data))}
    </span>
  )
}

const printSize = 2048
const formats = ['svg', 'png', 'pdf'] as const
type Format = (typeof formats)[number]

function askForPicture(qrcode_id: string, format: Format) {
  const query = { format, ...(format === 'png' && { size: printSize }) }
  return ask(api.GET('/v4/qr-codes/{qrcode_id}/image', { params: { path: { qrcode_id }, query } }))
}

async function download({ qrcode_id, title }: QrCode, format: Format): Promise<void> {
  try {
    const { qr_code_image } = await askForPicture(qrcode_id, format)
    downloadDataUri(qr_code_image, `${(title || qrcode_id).replace(/[^\w-]+/g, '-')}.${format}`)
  } catch (error) {
    showError(error)
  }
}
