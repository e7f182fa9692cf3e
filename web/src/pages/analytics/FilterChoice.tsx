/** A dimension, then its values; or words that are searched for in the values of all dimensions. */
import { Skeleton, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Check, ChevronLeft, ChevronRight, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { linkTagsQuery } from '../../api/queries.js'
import { formatNumber } from '../../parts/format.js'
import { errorText } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps, FilteredProps } from './Analytics.js'
import { choiceOf, type Dimension, dimensionNames, type FilterName } from './dimensions.js'
import styles from './FilterChoice.module.css'
import { flipFilter, readFilter, toggleValue } from './filters.js'
import { allRows, rowsQuery } from './queries.js'
import { labelOf } from './RowsCard.js'
import type { Subject } from './reports.js'

/** Values that are shown of one dimension, alone and below others. */
const [shownAlone, shownEach] = [100, 4]

interface Choice {
  readonly name: FilterName
  readonly label: string
  readonly values: readonly Value[]
  /** Why there are no values. */
  readonly error?: unknown
  readonly isLoading?: boolean
}

interface Value {
  readonly value: string
  readonly label: string
  readonly count?: number
}

export function FilterChoice({ subject, search, onChange, without = [] }: FilteredProps) {
  const { analytics } = texts
  const [name, setName] = useState<FilterName>()
  const [words, setWords] = useState('')
  const [sought] = useDebouncedValue(words.trim().toLocaleLowerCase(), 150)
  const all = useChoices({ subject, search, onChange }, name, sought !== '')
  const choices = all.filter((choice) => !without.includes(choice.name))
  const chosen = choices.find((choice) => choice.name === name)
  const open = (next: FilterName | undefined) => {
    setName(next)
    setWords('')
  }
  const values = (choice: Choice, shown: number) =>
    choice.values
      .filter(({ value, label }) => `${label}\n${value}`.toLocaleLowerCase().includes(sought))
      .slice(0, shown)
      .map((each) => (
        <ValueButton
          key={`${each.value} ${each.label}`}
          {...each}
          isChosen={readFilter(search[choice.name])?.values.includes(each.value) ?? false}
          onClick={() => onChange(toggleValue(search, choice.name, each.value))}
        />
      ))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys only move between the buttons in it.
    <div className={styles.choice} onKeyDown={moveFocus}>
      <div className={styles.head}>
        {chosen && (
          <button
            type="button"
            className={styles.back}
            aria-label={analytics.allFilters}
            onClick={() => open(undefined)}
          >
            <ChevronLeft size={16} aria-hidden="true" />
          </button>
        )}
        <TextInput
          className={styles.field}
          variant="unstyled"
          data-autofocus
          type="search"
          leftSection={<Search size={16} />}
          placeholder={chosen ? analytics.findValue(chosen.label) : analytics.findFilter}
          aria-label={chosen ? analytics.findValue(chosen.label) : analytics.findFilter}
          value={words}
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
        />
        {chosen && search[chosen.name] !== undefined && (
          <button
            type="button"
            className={styles.operator}
            title={analytics.flip}
            onClick={() => onChange(flipFilter(search, chosen.name))}
          >
            {readFilter(search[chosen.name])?.isNot ? analytics.isNot : analytics.is}
          </button>
        )}
      </div>
      <div className={styles.list}>
        {chosen && <Found of={[chosen]}>{values(chosen, shownAlone)}</Found>}
        {!chosen && sought === '' && choices.map((choice) => <Name key={choice.name} {...choice} onOpen={open} />)}
        {!chosen && sought !== '' && (
          <Found of={choices}>
            {choices.flatMap((choice) => {
              const found = values(choice, shownEach)
              const isNamed = choice.label.toLocaleLowerCase().includes(sought)
              if (isNamed) return [<Name key={choice.name} {...choice} onOpen={open} />, ...found]
              return found.length === 0 ? [] : [<h3 key={choice.name}>{choice.label}</h3>, ...found]
            })}
          </Found>
        )}
      </div>
    </div>
  )
}

/** All that the subject can be filtered by, with values where they are needed. */
function useChoices({ subject, search }: AnalyticsProps, name: FilterName | undefined, isSearch: boolean): Choice[] {
  const { analytics } = texts
  const dimensions = dimensionNames.flatMap((dimension) => {
    const filter = choiceOf(dimension).filter
    return filter && isAvailable(dimension, subject, search.traffic) ? [{ dimension, filter }] : []
  })
  const found = useQueries({
    queries: dimensions.map(({ dimension, filter }) => ({
      // Its own filter would leave the values that are chosen already.
      ...rowsQuery(subject, dimension, { ...search, [filter]: undefined }, allRows),
      enabled: isSearch || name === filter,
    })),
  })
  const hasTags = subject.link === undefined && subject.code === undefined
  const { data: tags = [] } = useQuery({ ...linkTagsQuery(subject.group), enabled: hasTags })
  const choices = dimensions.map(({ dimension, filter }, at) => ({
    name: filter,
    label: analytics.dimensions[dimension][1],
    error: found[at]?.error,
    isLoading: found[at]?.isLoading ?? false,
    values: (found[at]?.data ?? []).map((row) => ({
      value: row.value,
      label: labelOf(dimension, row),
      count: row.count,
    })),
  }))
  const tagValues = tags.map((tag) => ({ value: tag, label: tag }))
  return tags.length === 0 ? choices : [...choices, { name: 'tag', label: analytics.tag, values: tagValues }]
}

function isAvailable(dimension: Dimension, { link, campaign, code }: Subject, traffic = 'human'): boolean {
  if (dimension === 'links') return link === undefined && code === undefined
  if (dimension === 'channels') return campaign !== undefined
  return dimension !== 'agents' || traffic !== 'human'
}

interface NameProps extends Choice {
  readonly onOpen: (name: FilterName) => void
}

function Name({ name, label, onOpen }: NameProps) {
  return (
    <button type="button" className={styles.row} onClick={() => onOpen(name)}>
      <span className={styles.label}>{label}</span>
      <ChevronRight size={14} aria-hidden="true" />
    </button>
  )
}

interface ValueButtonProps extends Value {
  readonly isChosen: boolean
  readonly onClick: () => void
}

function ValueButton({ label, count, isChosen, onClick }: ValueButtonProps) {
  return (
    <button type="button" className={styles.row} aria-pressed={isChosen} onClick={onClick}>
      <span className={styles.tick}>{isChosen && <Check size={14} aria-hidden="true" />}</span>
      <span className={styles.label} title={label}>
        {label}
      </span>
      {count !== undefined && <span className={styles.count}>{formatNumber(count)}</span>}
    </button>
  )
}

interface FoundProps {
  readonly of: readonly Choice[]
  readonly children: readonly ReactNode[]
}

/** What was found; also why not all of it. */
function Found({ of, children }: FoundProps) {
  const failed = of.find(({ error }) => error)
  const isLoading = of.some((choice) => choice.isLoading)
  return (
    <>
      {children}
      {isLoading && <Skeleton height={28} m={4} />}
      {failed && <p className={styles.none}>{errorText(failed.error)}</p>}
      {!isLoading && !failed && children.length === 0 && <p className={styles.none}>{texts.analytics.none}</p>}
    </>
  )
}

/** The arrow keys go from the field through the rows. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const places = [...event.currentTarget.querySelectorAll<HTMLElement>(`input, .${styles.row}`)]
  const next = places[places.indexOf(document.activeElement as HTMLElement) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
