/** QR codes of the group: pictures to download and to embed, and a studio that makes and changes them. */
import { Button, Menu } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Code, Download, Pencil, Plus, QrCode as QrIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api, ask } from '../../api/client.js'
import type { QrCode } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { downloadDataUri } from '../../parts/download.js'
import { formatDay, formatNumber } from '../../parts/format.js'
import icon from '../../parts/IconButton.module.css'
import { PageHead } from '../../parts/PageHead.js'
import { Message } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { showError } from '../../parts/toasts.js'
import { useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { plainUrl } from '../create/routing.js'
import styles from './QrCodesPage.module.css'
import { picturePath } from './queries.js'
import type { CodesSearch } from './search.js'

const Studio = lazy(async () => ({ default: (await import('./studio/Studio.js')).Studio }))
const EmbedDialog = lazy(async () => ({ default: (await import('./EmbedDialog.js')).EmbedDialog }))
const route = getRouteApi('/$group/qr-codes')

export function QrCodesPage() {
  const { group } = route.useParams()
  const { edit, embed } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (search: CodesSearch) => void navigate({ search })
  const mayWrite = useMayWrite()
  const [isMaking, setIsMaking] = useState(false)
  const codes = useInfiniteQuery({
    queryKey: ['groups', group, 'qr-codes'],
    queryFn: ({ pageParam }) => {
      const query = { size: 50, ...(pageParam && { search_after: pageParam }) }
      return ask(api.GET('/v4/groups/{group_guid}/qr-codes', { params: { path: { group_guid: group }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
  })
  const create = mayWrite && (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsMaking(true)}>
      {texts.qrCodes.create}
    </Button>
  )
  return (
    <>
      <PageHead title={texts.shell.qrCodes}>{create}</PageHead>
      <div className={page.wide}>
        <Card>
          <Rows
            query={{ ...codes, data: codes.data?.pages.flatMap(({ qr_codes }) => qr_codes) }}
            keyOf={({ qrcode_id }) => qrcode_id}
            row={(code) => <CodeRow code={code} mayWrite={mayWrite} onShow={show} />}
            empty={
              <Message title={texts.qrCodes.none} picture={<QrIcon size={22} />}>
                {texts.qrCodes.noneHint}
              </Message>
            }
          />
          {codes.hasNextPage && (
            <Button
              variant="default"
              fullWidth
              loading={codes.isFetchingNextPage}
              onClick={() => void codes.fetchNextPage()}
            >
              {texts.common.more}
            </Button>
          )}
        </Card>
      </div>
      <Suspense>
        {isMaking && <Studio group={group} onClose={() => setIsMaking(false)} />}
        {edit !== undefined && mayWrite && <Studio key={edit} group={group} code={edit} onClose={() => show({})} />}
        {embed !== undefined && <EmbedDialog group={group} code={embed} onClose={() => show({})} />}
      </Suspense>
    </>
  )
}

interface CodeRowProps {
  readonly code: QrCode
  readonly mayWrite: boolean
  readonly onShow: (search: CodesSearch) => void
}

function CodeRow({ code, mayWrite, onShow }: CodeRowProps) {
  const name = code.title || code.shortlink_id
  return (
    <>
      <img className={styles.picture} src={picturePath(code)} alt={texts.qrCodes.pictureOf(name)} loading="lazy" />
      <RowText
        title={
          <Link to="/$group/qr-codes/$code/numbers" params={{ group: code.group_guid, code: code.qrcode_id }}>
            {name}
          </Link>
        }
      >
        {plainUrl(code.long_urls[0] ?? '')} · {texts.qrCodes.createdOn(formatDay(code.created))}
      </RowText>
      <Scans code={code} />
      {mayWrite && (
        <button
          type="button"
          className={icon.button}
          aria-label={texts.qrCodes.editOf(name)}
          title={texts.common.edit}
          onClick={() => onShow({ edit: code.qrcode_id })}
        >
          <Pencil size={16} />
        </button>
      )}
      <button
        type="button"
        className={icon.button}
        aria-label={texts.qrCodes.embedOf(name)}
        title={texts.qrCodes.embed}
        onClick={() => onShow({ embed: code.qrcode_id })}
      >
        <Code size={16} />
      </button>
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<Download size={16} />}>
            {texts.qrCodes.download}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {formats.map((format) => (
            <Menu.Item key={format} onClick={() => void download(code, format)}>
              {format.toUpperCase()}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
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
