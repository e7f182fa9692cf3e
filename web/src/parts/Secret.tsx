import { CopyButton } from './CopyButton.js'
import styles from './page.module.css'

/** A value that is meant to be copied. */
export function Secret({ value }: { readonly value: string }) {
  return (
    <div className={styles.secret}>
      {value}
      <CopyButton value={value} />
    </div>
  )
}

interface NewSecretProps {
  readonly hint: string
  readonly value: string
}

/** One that has just been made, with a line about it. */
export function NewSecret({ hint, value }: NewSecretProps) {
  return (
    <div role="status">
      <p className={styles.hint}>{hint}</p>
      <Secret value={value} />
    </div>
  )
}
