/** A short link to hand on: large, with its QR code, the ways to share it, and its clicks as they happen. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Check, Copy, CornerDownRight, Download, Share2 } from 'lucide-react'
import { useState } from 'react'
import type { ShortLink } from '../../api/types.js'
import { copyText } from '../../parts/copy-text.js'
import { downloadDataUri } from '../../parts/download.js'
import { formatNumber } from '../../parts/format.js'
import { showError } from '../../parts/toasts.js'
import { plainUrl } from '../../parts/with-scheme.js'
import { texts } from '../../texts/texts.js'
import { useCounter, useLive } from '../analytics/live.js'
import { pathOf, shownAddress } from '../link/queries.js'
import { plainCode, plainCodeQuery, sharedUrl } from './queries.js'
import styles from './ShareLink.module.css'

interface ShareLinkProps {
  readonly group: string
  readonly link: ShortLink
  /** Whether it is on the clipboard already. */
  readonly isCopied?: boolean
}

export function ShareLink({ group, link, isCopied = false }: ShareLinkProps) {
  const url = sharedUrl(link)
  const shown = shownAddress(link)
  const slash = shown.indexOf('/')
  return (
    <div className={styles.share}>
      <div className={styles.about}>
        <a href={url} target="_blank" rel="noopener noreferrer" className={styles.link} aria-label={shown}>
          <span className={styles.domain}>{shown.slice(0, slash)}</span>
          <wbr />
          {shown.slice(slash)}
        </a>
        <p className={styles.destination}>
          <CornerDownRight size={15} aria-hidden="true" />
          <span title={link.long_url} dir="auto">
            {link.title || plainUrl(link.long_url)}
          </span>
        </p>
        <CopyAndShare url={url} title={link.title} isCopied={isCopied} />
        <Clicks group={group} id={link.id} url={url} />
      </div>
      <Code group={group} url={url} name={shown} />
    </div>
  )
}

interface CopyAndShareProps {
  readonly url: string
  readonly title: string | undefined
  readonly isCopied: boolean
}

export function CopyAndShare({ url, title, isCopied }: CopyAndShareProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>(isCopied ? 'copied' : 'idle')
  const copy = async () => setState((await copyText(url)) ? 'copied' : 'failed')
  // Rejected when the person changes their mind.
  const share = () => void navigator.share({ url, ...(title && { title }) }).catch(() => undefined)
  const said = { idle: '', copied: texts.share.onClipboard, failed: texts.common.copyFailed }[state]
  return (
    <>
      <div className={styles.actions}>
        <Button
          data-autofocus
          leftSection={state === 'copied' ? <Check size={16} /> : <Copy size={16} />}
          onClick={() => void copy()}
        >
          {state === 'copied' ? texts.common.copied : texts.common.copy}
        </Button>
        {'share' in navigator && (
          <Button variant="default" leftSection={<Share2 size={16} />} onClick={share}>
            {texts.share.share}
          </Button>
        )}
      </div>
      <p role="status" className={styles.said}>
        {said}
      </p>
    </>
  )
}

const formats = ['png', 'svg'] as const

interface CodeProps {
  readonly group: string
  readonly url: string
  readonly name: string
}

export function Code({ group, url, name }: CodeProps) {
  const { data: picture, isError } = useQuery(plainCodeQuery(group, url))
  if (isError) return null
  return (
    <div className={styles.code}>
      <div className={styles.picture}>{picture && <img src={picture} alt={texts.share.codeOf(name)} />}</div>
      <div className={styles.formats}>
        {formats.map((format) => (
          <Button
            key={format}
            variant="default"
            size="compact-sm"
            leftSection={<Download size={14} />}
            aria-label={texts.share.download(format.toUpperCase())}
            onClick={() => void downloadCode({ group, url, name }, format)}
          >
            {format.toUpperCase()}
          </Button>
        ))}
      </div>
    </div>
  )
}

/** Never rejects. */
export function downloadCode({ group, url, name }: CodeProps, format: (typeof formats)[number]): Promise<void> {
  return plainCode(group, url, format)
    .then((uri) => downloadDataUri(uri, `${name.replace(/[^\w.-]+/g, '-')}.${format}`))
    .catch(showError)
}

/** Of the last half hour, which for a new link is all. */
function Clicks({ group, id, url }: { readonly group: string; readonly id: string; readonly url: string }) {
  const subject = { group, link: pathOf(id) }
  useLive(subject, {})
  // Also by asking: a click that comes before the events do is not told.
  const count = useCounter(subject, {}, false) ?? 0
  return (
    <p role="status" className={styles.clicks} data-clicked={count > 0 || undefined}>
      <span className={styles.light} aria-hidden="true" />
      {count === 0 ? (
        <span>
          {texts.share.waiting}{' '}
          <a href={url} target="_blank" rel="noopener noreferrer">
            {texts.share.test}
          </a>
        </span>
      ) : (
        <span>
          {/* Drawn anew with each click, so that it moves. */}
          <strong key={count} className={`figures ${styles.count}`}>
            {formatNumber(count)}
          </strong>{' '}
          {texts.share.clicks(count)}
        </span>
      )}
    </p>
  )
}
