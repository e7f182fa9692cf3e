import { Button, Popover } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import styles from './Pill.module.css'

interface PillProps {
  readonly icon: ReactNode
  readonly label: string
  readonly value?: string | undefined
  readonly children: ReactNode
}

/** A filter as a button that says what is set and opens its choices. */
export function Pill({ icon, label, value, children }: PillProps) {
  return (
    <Popover position="bottom-start" width={280} trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={icon} className={styles.pill} data-set={value ? true : undefined}>
          {label}
          {value && <span className={styles.value}>{value}</span>}
        </Button>
      </Popover.Target>
      {/* Around it, so that the focus moves into fields that are loaded first. */}
      <Suspense>
        <Popover.Dropdown>{children}</Popover.Dropdown>
      </Suspense>
    </Popover>
  )
}
