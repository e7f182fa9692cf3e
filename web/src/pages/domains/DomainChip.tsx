import { Badge } from '@mantine/core'
import { domainTexts } from '../../texts/domains.js'
import type { DomainState } from './domain-state.js'
import styles from './domains.module.css'

const colors = { loading: 'gray', waiting: 'orange', unknown: 'gray', https: 'orange', works: 'green' } as const

export function DomainChip({ state }: { readonly state: DomainState }) {
  return (
    <Badge variant="light" color={colors[state]} className={styles[state]} role="status">
      {domainTexts.states[state]}
    </Badge>
  )
}
