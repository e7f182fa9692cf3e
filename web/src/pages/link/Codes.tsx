/** The QR codes of a link, each with the way to its page, and the way to a new one. Until then, a plain one. */
import { Button } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download, QrCode } from 'lucide-react'
import type { ShortLink } from '../../api/types.js'
import { texts } from '../../texts/texts.js'
import { plainCodeQuery, sharedUrl } from '../create/queries.js'
import { downloadCode } from '../create/ShareLink.js'
import { codeQuery, picturePath } from '../qr-codes/queries.js'
import styles from './LinkPage.module.css'
import { everQuery } from './load-link.js'
import { pathOf, shownAddress } from './queries.js'

interface CodesProps {
  readonly group: string
  readonly link: ShortLink
  /** Undefined for those who may not. */
  readonly onCreate: (() => void) | undefined
}

const shownCodes = 6

export function Codes({ group, link, onCreate }: CodesProps) {
  const ids = link.qr_code_ids.slice(0, shownCodes)
  const found = useQueries({ queries: ids.map((id) => codeQuery(group, id)) })
  const ever = useQuery(everQuery({ group, ...pathOf(link.id) }))
  // As long as nobody clicked, the page shows it large.
  const isPlain = ids.length === 0 && (ever.data?.now.engagements ?? 0) > 0
  if (ids.length === 0 && !isPlain && !onCreate) return null
  const pictures = found.map(({ data }, at) => {
    const id = ids[at] ?? ''
    const name = data?.title || (data?.shortlink_id ?? '')
    return (
      <Link
        key={id}
        to="/$group/qr-codes/$code/analytics"
        params={{ group, code: id }}
        className={styles.code}
        title={name}
      >
        {data && <img src={picturePath(data)} alt={texts.qrCodes.pictureOf(name)} />}
      </Link>
    )
  })
  const url = sharedUrl(link)
  const name = shownAddress(link)
  return (
    <>
      <dt className={styles.codesName}>{texts.shell.qrCodes}</dt>
      <dd className={styles.codes}>
        {isPlain ? <PlainCode group={group} url={url} name={name} /> : pictures[0]}
        <div className={styles.beside}>
          {pictures.slice(1)}
          {isPlain && (
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<Download size={15} />}
              aria-label={texts.share.download('PNG')}
              onClick={() => void downloadCode({ group, url, name }, 'png')}
            >
              PNG
            </Button>
          )}
          {onCreate && (
            <Button variant="subtle" size="compact-sm" leftSection={<QrCode size={15} />} onClick={onCreate}>
              {texts.qrCodes.create}
            </Button>
          )}
        </div>
      </dd>
    </>
  )
}

interface PlainCodeProps {
  readonly group: string
  readonly url: string
  readonly name: string
}

function PlainCode({ group, url, name }: PlainCodeProps) {
  const { data: picture } = useQuery(plainCodeQuery(group, url))
  return <span className={styles.code}>{picture && <img src={picture} alt={texts.share.codeOf(name)} />}</span>
}
