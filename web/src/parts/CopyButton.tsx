import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { texts } from '../texts/texts.js'
import styles from './CopyButton.module.css'
import { copyText } from './copy-text.js'
import icon from './IconButton.module.css'

interface CopyButtonProps {
  readonly value: string
  /** What is copied, for screen readers. */
  readonly label?: string
}

export function CopyButton({ value, label = texts.common.copy }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = async () => {
    setState((await copyText(value)) ? 'copied' : 'failed')
    setTimeout(() => setState('idle'), 2000)
  }
  const said = { idle: undefined, copied: texts.common.copied, failed: texts.common.copyFailed }[state]
  return (
    <span className={styles.place}>
      <button
        type="button"
        className={icon.button}
        aria-label={said ?? label}
        title={said ? undefined : label}
        onClick={() => void copy()}
      >
        {state === 'copied' ? <Check size={16} /> : <Copy size={16} />}
      </button>
      {said && (
        <span role="status" className={styles.said}>
          {said}
        </span>
      )}
    </span>
  )
}
