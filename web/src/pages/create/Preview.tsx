/** How the link will look, and its QR code. */
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { SiteMark } from '../../parts/SiteMark.js'
import { plainUrl, withScheme } from '../../parts/with-scheme.js'
import { texts } from '../../texts/texts.js'
import type { Draft } from './draft.js'
import styles from './LinkForm.module.css'
import { plainCodeQuery } from './queries.js'

interface PreviewProps {
  readonly group: string
  readonly draft: Draft
  /** Without the scheme; without a back-half while that is left to chance. */
  readonly address: string
}

export function Preview({ group, draft, address }: PreviewProps) {
  const isRandom = address.endsWith('/')
  const [content] = useDebouncedValue(`${location.protocol}//${address}`, 300)
  const { data: image } = useQuery({
    ...plainCodeQuery(group, content),
    placeholderData: keepPreviousData,
    enabled: !address.startsWith('/'),
  })
  return (
    <aside className={styles.preview} aria-label={texts.create.preview}>
      <div className={styles.code} data-random={isRandom || undefined}>
        {image && <img src={image} alt={texts.qrCodes.preview} />}
      </div>
      <div className={styles.previewText}>
        <strong className={styles.previewLink}>
          {address}
          {isRandom && <span className={styles.chance}>{texts.create.chance}</span>}
        </strong>
        <span className={styles.previewTitle}>
          {draft.longUrl.trim() !== '' && <SiteMark url={withScheme(draft.longUrl)} />}
          <span dir="auto">{draft.title.trim() || plainUrl(draft.longUrl).split(/[/?#]/, 1)[0]}</span>
        </span>
        {isRandom && <span className={styles.hint}>{texts.create.codeFollows}</span>}
      </div>
    </aside>
  )
}
