import { Badge } from '@mantine/core'
import { CircleCheck, CircleDashed, CircleOff, CirclePlay } from 'lucide-react'
import { siteTexts as words } from '../../texts/sites.js'
import type { Site } from './model.js'
import styles from './sites.module.css'

const looks = {
  live: { color: 'green', Icon: CircleCheck },
  edited: { color: 'orange', Icon: CirclePlay },
  draft: { color: 'gray', Icon: CircleDashed },
  off: { color: 'gray', Icon: CircleOff },
} as const

export type StateName = keyof typeof looks

function stateOf({ status, last_published, is_edited }: Site): StateName {
  if (status !== 'active') return 'off'
  if (!last_published) return 'draft'
  return is_edited ? 'edited' : 'live'
}

/** What visitors see of it. */
export function SiteState({ site }: { readonly site: Site }) {
  const state = stateOf(site)
  const { color, Icon } = looks[state]
  return (
    <Badge variant="light" color={color} className={styles[state]} leftSection={<Icon size={13} />}>
      {words.states[state]}
    </Badge>
  )
}
