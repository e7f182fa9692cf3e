import styles from './Analytics.module.css'

interface PageTabsProps<Value extends string> {
  /** What the tabs are about, for screen readers. */
  readonly label: string
  readonly tabs: Readonly<Record<Value, string>>
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
}

/** Tabs that change the whole page. */
export function PageTabs<Value extends string>({ label, tabs, chosen, onChoose }: PageTabsProps<Value>) {
  return (
    <fieldset className={styles.views} aria-label={label}>
      {(Object.keys(tabs) as Value[]).map((value) => (
        <button
          key={value}
          type="button"
          className={styles.view}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {tabs[value]}
        </button>
      ))}
    </fieldset>
  )
}
