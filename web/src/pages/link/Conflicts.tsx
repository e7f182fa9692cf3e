/** Fields that somebody else changed meanwhile: both values, and which of them is to stay. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { userQuery } from '../../api/queries.js'
import { formatAge, formatMoment } from '../../parts/format.js'
import { withScheme } from '../../parts/with-scheme.js'
import { historyTexts } from '../../texts/history.js'
import type { ChangeName, Draft } from '../create/draft.js'
import { sentenceOf } from '../create/routing.js'
import styles from './Conflicts.module.css'
import type { Choices } from './EditDialog.js'
import { labelOf } from './history-entry.js'
import type { Conflict } from './queries.js'

interface ConflictsProps {
  readonly names: readonly ChangeName[]
  /** With the person's own values. */
  readonly draft: Draft
  readonly conflict: Conflict
  readonly taken: Choices
  readonly onTake: (taken: Choices) => void
}

export function Conflicts({ names, draft, conflict, taken, onTake }: ConflictsProps) {
  const { data: user } = useQuery(userQuery)
  const words = historyTexts.conflict
  const head = useRef<HTMLHeadingElement>(null)
  // With each new answer: it is what the person has to read now.
  useEffect(() => {
    if (!conflict) return
    head.current?.focus({ preventScroll: true })
    head.current?.parentElement?.scrollIntoView({ block: 'start' })
  }, [conflict])
  const takeAll = (isTheirs: boolean) => onTake(Object.fromEntries(names.map((name) => [name, isTheirs])))
  const authorOf = (name: ChangeName) => {
    const entry = conflict.history.find(({ after }) => name in after)
    if (!entry) return undefined
    return (
      <span className={styles.author} title={formatMoment(entry.created)}>
        {words.by(entry.login === user?.login ? '' : entry.login, formatAge(entry.created))}
      </span>
    )
  }
  return (
    <section className={styles.conflicts} aria-labelledby="conflicts">
      <h3 id="conflicts" ref={head} tabIndex={-1} className={styles.title}>
        {words.title}
      </h3>
      <p className={styles.hint}>{words.hint}</p>
      {names.map((name) => (
        <fieldset key={name} className={styles.field}>
          <legend className={styles.label}>{labelOf(name)}</legend>
          {[false, true].map((isTheirs) => (
            <label key={String(isTheirs)} className={styles.choice}>
              <input
                type="radio"
                name={`conflict-${name}`}
                required
                checked={taken[name] === isTheirs}
                onChange={() => onTake({ ...taken, [name]: isTheirs })}
              />
              <span className={styles.choiceName}>
                {isTheirs ? words.theirs : words.mine} {isTheirs && authorOf(name)}
              </span>
              <span className={styles.value} dir="auto">
                {textOf(name, isTheirs ? conflict.theirs : draft)}
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

/** The whole of it: two long texts may differ anywhere. */
function textOf(name: ChangeName, draft: Draft): string {
  const { none, never, on, off } = historyTexts
  switch (name) {
    case 'long_url':
      return withScheme(draft.longUrl)
    case 'expiration_at':
      return draft.expiresAt ? formatMoment(new Date(draft.expiresAt).toISOString()) : never
    case 'dynamic_routing':
      return draft.rules.map(sentenceOf).join('\n') || none
    case 'deeplinks':
      return draft.deeplinks.map(({ os, app_uri_path }) => `${os ?? ''} ${app_uri_path}`.trim()).join('\n') || none
    case 'tags':
      return draft.tags.join(', ') || none
    case 'private':
    case 'forward_query':
      return draft.switches[name] ? on : off
    default:
      return draft[name].trim() || none
  }
}
