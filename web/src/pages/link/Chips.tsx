/** What is special about a link, each as a button that opens the form at its field. */
import { Archive, Clock, Lock, type LucideIcon, Smartphone, Split, TextCursorInput } from 'lucide-react'
import type { ShortLink } from '../../api/types.js'
import { asDate, formatAge } from '../../parts/format.js'
import { texts } from '../../texts/texts.js'
import type { FormPlace } from '../create/LinkFields.js'
import styles from './LinkPage.module.css'

interface ChipsProps {
  readonly link: ShortLink
  /** Undefined for those who may not. */
  readonly onEdit: ((place: FormPlace) => void) | undefined
}

export function Chips({ link, onEdit }: ChipsProps) {
  const chips = chipsOf(link)
  if (chips.length === 0) return null
  return (
    <ul className={styles.chips} aria-label={texts.link.special}>
      {chips.map(({ place, Icon, label }) => (
        <li key={place}>
          <button type="button" className={styles.chip} disabled={!onEdit} onClick={() => onEdit?.(place)}>
            <Icon size={13} aria-hidden="true" />
            {label}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface Chip {
  readonly place: FormPlace
  readonly Icon: LucideIcon
  readonly label: string
}

function chipsOf({ archived, expiration_at: end, dynamic_routing, deeplinks, ...link }: ShortLink): readonly Chip[] {
  const { create, links } = texts
  const rules = dynamic_routing?.length ?? 0
  const expiry = end && (isOver({ expiration_at: end }) ? links.isExpired : links.expires(formatAge(end)))
  return [
    archived && { place: 'archived', Icon: Archive, label: links.isArchived },
    expiry && { place: 'expiry', Icon: Clock, label: expiry },
    rules > 0 && { place: 'routing', Icon: Split, label: create.routing.count(rules) },
    deeplinks.length > 0 && { place: 'apps', Icon: Smartphone, label: create.apps.count(deeplinks.length) },
    link.private && { place: 'private', Icon: Lock, label: create.switches.private.label },
    link.forward_query && { place: 'forward_query', Icon: TextCursorInput, label: texts.link.forwardsQuery },
  ].filter((chip): chip is Chip => Boolean(chip))
}

export function isOver({ expiration_at }: Pick<ShortLink, 'expiration_at'>): boolean {
  return expiration_at !== undefined && asDate(expiration_at) < new Date()
}
