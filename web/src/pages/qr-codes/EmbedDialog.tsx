/** The public address of the picture of a code, to be copied into web pages, mails and print templates. */
import { Select, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyButton } from '../../parts/CopyButton.js'
import { Dialog } from '../../parts/Dialog.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { texts } from '../../texts/texts.js'
import styles from './EmbedDialog.module.css'
import { codeQuery, picturePath } from './queries.js'

interface EmbedDialogProps {
  readonly group: string
  /** The id of the code. */
  readonly code: string
  readonly onClose: () => void
}

const formats = ['png', 'svg']
const sizes = ['256', '512', '1024', '2048']

export function EmbedDialog({ group, code, onClose }: EmbedDialogProps) {
  const found = useQuery(codeQuery(group, code))
  const [format, setFormat] = useState('png')
  const [size, setSize] = useState('512')
  const { qrCodes } = texts
  const base = found.data?.image_url.replace(/\.svg$/, '')
  const address = format === 'svg' ? `${base}.svg` : `${base}.png?size=${size}`
  const name = found.data?.title || (found.data?.shortlink_id ?? '')
  const html = `<img src="${address}" width="256" alt="${escaped(name)}">`
  return (
    <Dialog onClose={onClose} title={qrCodes.embed} size="lg">
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton height={280} />}
      {found.data && (
        <div className={page.form}>
          <div className={styles.head}>
            <img className={styles.picture} src={picturePath(found.data)} alt={qrCodes.pictureOf(name)} />
            <p className={page.hint}>{qrCodes.embedHint}</p>
          </div>
          <div className={page.pair}>
            <Select
              label={qrCodes.format}
              data={formats.map((value) => ({ value, label: value.toUpperCase() }))}
              value={format}
              onChange={(chosen) => setFormat(chosen ?? 'png')}
              allowDeselect={false}
            />
            {format === 'png' && (
              <Select
                label={qrCodes.size}
                data={sizes.map((value) => ({ value, label: `${value} px` }))}
                value={size}
                onChange={(chosen) => setSize(chosen ?? '512')}
                allowDeselect={false}
              />
            )}
          </div>
          <Copied label={qrCodes.address} value={address} copy={qrCodes.copyAddress} />
          <Copied label="HTML" value={html} copy={qrCodes.copyHtml} />
        </div>
      )}
    </Dialog>
  )
}

function Copied({ label, value, copy }: { readonly label: string; readonly value: string; readonly copy: string }) {
  return (
    <div>
      <div className={styles.label}>{label}</div>
      <div className={page.secret}>
        <span className={styles.value}>{value}</span>
        <CopyButton value={value} label={copy} />
      </div>
    </div>
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
