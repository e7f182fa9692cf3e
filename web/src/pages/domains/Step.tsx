import { Check, ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { domainTexts as words } from '../../texts/domains.js'
import type { StepState } from './domain-state.js'
import styles from './domains.module.css'

interface StepProps {
  readonly number: number
  readonly title: string
  /** What is so, in one line. */
  readonly line: string
  readonly state: StepState
  /** Also when it is done: its result is still of interest. */
  readonly isKeptOpen: boolean
  readonly children: ReactNode
}

/** One step of a set-up. The one that is next is open; every other can be opened too. */
export function Step({ number, title, line, state, isKeptOpen, children }: StepProps) {
  const content = useId()
  // A step that was opened or closed by hand stays so until it becomes another.
  const [choice, setChoice] = useState<{ state: StepState; isOpen: boolean }>()
  const isOpen = choice?.state === state ? choice.isOpen : state === 'now' || isKeptOpen
  return (
    <li className={styles.step} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span className={styles.marker} aria-hidden="true">
        {state === 'done' ? <Check size={16} strokeWidth={2.5} /> : number}
      </span>
      <div className={styles.body}>
        <h2 className={styles.heading}>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={content}
            onClick={() => setChoice({ state, isOpen: !isOpen })}
          >
            <span className={styles.name}>{title}</span>
            <span className={styles.stateName}>{words.stepStates[state]}</span>
            <ChevronDown size={18} aria-hidden="true" />
          </button>
        </h2>
        {line && !isOpen && <p className={styles.line}>{line}</p>}
        <div id={content} hidden={!isOpen} className={styles.content}>
          {isOpen && children}
        </div>
      </div>
    </li>
  )
}
