import { Link } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Clock, Ellipsis, Pencil, QrCode, Split } from 'lucide-react'
import { memo } from 'react'
import type { ShortLink } from '../../api/types.js'
import { Sparkline } from '../../charts/Sparkline.js'
import { Check } from '../../parts/Check.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { asDate, formatAge, formatCompact, formatMoment, formatNumber } from '../../parts/format.js'
import icon from '../../parts/IconButton.module.css'
import { Middle } from '../../parts/Middle.js'
import { SiteMark } from '../../parts/SiteMark.js'
import { TagChip } from '../../parts/TagChip.js'
import { useGroupGuid, useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import styles from './LinkRow.module.css'
import type { LinkClicks } from './queries.js'
import type { RowAction } from './row-actions.js'

interface LinkRowProps {
  readonly link: ShortLink
  /** Undefined while they load. */
  readonly clicks: LinkClicks | undefined
  /** Undefined while it loads, and where the service has none. */
  readonly siteIcon: string | undefined
  readonly isChosen: boolean
  readonly onChoose: (id: string, extend: boolean) => void
  readonly onAct: (action: RowAction, link: ShortLink) => void
}

/** Without components of Mantine: at full speed of the wheel, several rows are made for every frame. */
export const LinkRow = memo(function LinkRow({ link, clicks, siteIcon, isChosen, onChoose, onAct }: LinkRowProps) {
  const group = useGroupGuid()
  const mayWrite = useMayWrite()
  const [domain = '', hash = ''] = link.id.split('/')
  // The newest custom back-half is what people share.
  const shown = (link.custom_shortlinks[0] ?? link.link).replace(/^https?:\/\//, '')
  const slash = shown.indexOf('/')
  const isExpired = link.expiration_at !== undefined && asDate(link.expiration_at) < new Date()
  return (
    <div className={styles.row} data-chosen={isChosen || undefined}>
      {mayWrite && (
        <Check
          label={texts.links.select(shown)}
          checked={isChosen}
          onToggle={(withShift) => onChoose(link.id, withShift)}
        />
      )}
      <SiteMark url={link.long_url} icon={siteIcon} />
      <div className={styles.main}>
        <div className={styles.first}>
          <Link
            to="/$group/links/$domain/$hash"
            params={{ group, domain, hash }}
            className={styles.short}
            data-over={isExpired || undefined}
            aria-label={shown}
          >
            <span className={styles.domain}>{shown.slice(0, slash)}</span>
            <Middle text={shown.slice(slash)} className={styles.backHalf} />
          </Link>
          <CopyButton
            value={`${link.link.slice(0, link.link.indexOf('//'))}//${shown}`}
            label={texts.links.copy(shown)}
          />
          {link.title && <Middle text={link.title} className={styles.title} />}
        </div>
        <div className={styles.second}>
          {link.title && <Middle text={link.title} className={styles.phoneTitle} />}
          <Middle text={link.long_url.replace(/^https?:\/\/(www\.)?/, '')} className={styles.destination} />
          {link.tags.map((tag) => (
            <TagChip key={tag} tag={tag} />
          ))}
        </div>
      </div>
      <div className={styles.hints}>
        {link.archived && <Hint Icon={Archive} label={texts.links.isArchived} />}
        {(link.dynamic_routing?.length ?? 0) > 0 && <Hint Icon={Split} label={texts.links.hasRouting} />}
        {link.qr_code_ids.length > 0 && <Hint Icon={QrCode} label={texts.links.hasQrCode} />}
        {link.expiration_at && (
          <Hint
            Icon={Clock}
            label={isExpired ? texts.links.isExpired : texts.links.expires(formatAge(link.expiration_at))}
          />
        )}
      </div>
      <div className={styles.clicks}>
        {clicks && clicks.total > 0 && <Sparkline values={clicks.days} isLastOpen />}
        {clicks && (
          <span className="figures" title={texts.links.clicksHint(clicks.total, formatNumber(clicks.total))}>
            {formatCompact(clicks.total)}
            <span className="visually-hidden"> {texts.links.clicks}</span>
          </span>
        )}
      </div>
      <time
        className={styles.age}
        dateTime={asDate(link.created_at).toISOString()}
        title={formatMoment(link.created_at)}
      >
        {formatAge(link.created_at)}
        {link.created_by && <span className={styles.creator}>{link.created_by}</span>}
      </time>
      {mayWrite && (
        <div className={styles.actions}>
          <Action Icon={QrCode} label={texts.share.codeOf(shown)} onClick={() => onAct('code', link)} />
          <Action Icon={Pencil} label={texts.link.edit(shown)} onClick={() => onAct('edit', link)} />
          <Action
            Icon={link.archived ? ArchiveRestore : Archive}
            label={link.archived ? texts.links.restoreOf(shown) : texts.links.archiveOf(shown)}
            onClick={() => onAct('archive', link)}
          />
        </div>
      )}
      <span className={styles.menu}>
        <Action Icon={Ellipsis} label={texts.links.actionsOf(shown)} onClick={() => onAct('menu', link)} />
      </span>
    </div>
  )
})

interface ActionProps {
  readonly Icon: typeof Clock
  readonly label: string
  readonly onClick: () => void
}

function Action({ Icon, label, onClick }: ActionProps) {
  return (
    <button type="button" className={icon.button} aria-label={label} title={label} onClick={onClick}>
      <Icon size={16} />
    </button>
  )
}

function Hint({ Icon, label }: { readonly Icon: typeof Clock; readonly label: string }) {
  return (
    <span role="img" aria-label={label} title={label} className={styles.hint}>
      <Icon size={16} aria-hidden="true" />
    </span>
  )
}
