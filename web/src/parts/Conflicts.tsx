/** Fields that somebody else changed meanwhile: both values, and which of them is to stay. */
import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { conflictTexts as words } from '../texts/conflicts.js'
import styles from './Conflicts.module.css'
import type { FoundConflicts } from './merged-save.js'

interface ConflictsProps<State, Name extends PropertyKey> extends FoundConflicts<State, Name> {
  readonly labelOf: (name: Name) => string
  /** The whole of it: two long texts may differ anywhere. */
  readonly textOf: (name: Name, state: State) => ReactNode
  /** Who changed it, where that is known. */
  readonly authorOf?: (name: Name) => ReactNode
}

export function Conflicts<State, Name extends PropertyKey>(props: ConflictsProps<State, Name>) {
  const { names, mine, conflict, taken, onTake, labelOf, textOf, authorOf } = props
  const head = useRef<HTMLHeadingElement>(null)
  // With each new answer: it is what the person has to read now.
  useEffect(() => {
    if (!conflict) return
    head.current?.focus({ preventScroll: true })
    head.current?.parentElement?.scrollIntoView({ block: 'start' })
  }, [conflict])
  const takeAll = (isTheirs: boolean) => onTake(new Map(names.map((name) => [name, isTheirs])))
  return (
    <section className={styles.conflicts} aria-labelledby="conflicts">
      <h3 id="conflicts" ref={head} tabIndex={-1} className={styles.title}>
        {words.title}
      </h3>
      <p className={styles.hint}>{words.hint}</p>
      {names.map((name) => (
        <fieldset key={String(name)} className={styles.field}>
          <legend className={styles.label}>{labelOf(name)}</legend>
          {[false, true].map((isTheirs) => (
            <label key={String(isTheirs)} className={styles.choice}>
              <input
                type="radio"
                name={`conflict-${String(name)}`}
                required
                checked={taken.get(name) === isTheirs}
                onChange={() => onTake(new Map([...taken, [name, isTheirs]]))}
              />
              <span className={styles.choiceName}>
                {isTheirs ? words.theirs : words.mine}{' '}
                {isTheirs && <span className={styles.author}>{authorOf?.(name)}</span>}
              </span>
              <span className={styles.value} dir="auto">
                {shown(textOf(name, isTheirs ? conflict.theirs : mine))}
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      {names.length > 1 && (
        <div className={styles.all}>
          <Button variant="default" size="xs" onClick={() => takeAll(false)}>
            {words.allMine}
          </Button>
          <Button variant="default" size="xs" onClick={() => takeAll(true)}>
            {words.allTheirs}
          </Button>
        </div>
      )}
    </section>
  )
}

function shown(value: ReactNode): ReactNode {
  if (typeof value === 'boolean') return value ? words.on : words.off
  return value || words.none
}
