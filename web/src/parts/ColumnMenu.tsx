/** Which columns of a list are shown. */
import { Button, Checkbox, Popover } from '@mantine/core'
import { Columns3 } from 'lucide-react'
import { texts } from '../texts/texts.js'
import styles from './ColumnMenu.module.css'

interface ColumnMenuProps<Name extends string> {
  /** In their order. */
  readonly columns: readonly { readonly name: Name; readonly title: string }[]
  readonly shown: readonly Name[]
  readonly toggle: (name: Name) => void
}

export function ColumnMenu<Name extends string>({ columns, shown, toggle }: ColumnMenuProps<Name>) {
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<Columns3 size={15} aria-hidden="true" />}
          className={styles.button}
        >
          {texts.common.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.menu} aria-label={texts.common.columns}>
        {columns.map(({ name, title }) => (
          <Checkbox key={name} size="sm" label={title} checked={shown.includes(name)} onChange={() => toggle(name)} />
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}
