/** The QR codes of a link, each with the way to its page, and the way to a new one. */
import { Button } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { QrCode } from 'lucide-react'
import type { ShortLink } from '../../api/types.js'
import { texts } from '../../texts/texts.js'
import { codeQuery, picturePath } from '../qr-codes/queries.js'
import styles from './LinkPage.module.css'

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
  if (ids.length === 0 && !onCreate) return null
  return (
    <>
      <dt className={styles.codesName}>{texts.shell.qrCodes}</dt>
      <dd className={styles.codes}>
        {found.map(({ data }, at) => {
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
        })}
        {onCreate && ids.length === 0 && (
          <button type="button" className={styles.noCode} onClick={onCreate}>
            <QrCode size={22} aria-hidden="true" />
            {texts.qrCodes.create}
          </button>
        )}
        {onCreate && ids.length > 0 && (
          <Button variant="subtle" size="compact-sm" leftSection={<QrCode size={15} />} onClick={onCreate}>
            {texts.qrCodes.create}
          </Button>
        )}
      </dd>
    </>
  )
}
