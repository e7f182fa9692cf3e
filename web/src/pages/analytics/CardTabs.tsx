import type { ReactNode } from 'react'
import styles from './Analytics.module.css'

interface CardTabsProps<Value extends string> {
  /** What the tabs are about, for screen readers. */
  readonly label: string
  readonly tabs: readonly { readonly value: Value; readonly label: string }[]
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
  readonly actions?: ReactNode
  /** Whether the chosen tab is the title of a card. */
  readonly isHeading?: boolean
}

/** The head of a card: what it can show, and what can be done with it. */
export function CardTabs<Value extends string>(props: CardTabsProps<Value>) {
  const { label, tabs, chosen, onChoose, actions, isHeading = false } = props
  return (
    <div className={styles.cardHead}>
      {isHeading && <h2 className="visually-hidden">{tabs.find(({ value }) => value === chosen)?.label}</h2>}
      <fieldset className={styles.tabs} aria-label={label}>
        {tabs.map(({ value, label: text }) => (
          <button
            key={value}
            type="button"
            className={styles.tab}
            aria-pressed={value === chosen}
            onClick={() => onChoose(value)}
          >
            {text}
          </button>
        ))}
      </fieldset>
      {actions}
    </div>
  )
}
