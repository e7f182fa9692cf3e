/** A month of days. The first chosen day begins the time, the second ends it. */
import { ActionIcon } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { preferredLanguage, texts } from '../../texts/texts.js'
import styles from './Calendar.module.css'
import { isoDay, periodOf } from './period.js'
import type { AnalyticsSearch } from './search.js'
import { ownZone } from './zone.js'

interface CalendarProps {
  readonly search: AnalyticsSearch
  readonly zone: string
  readonly onChoose: (from: string, to: string) => void
}

const locale = navigator.languages.find((tag) => tag.startsWith(preferredLanguage())) ?? preferredLanguage()
const title = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })

export function Calendar({ search, zone, onChoose }: CalendarProps) {
  const today = isoDay(new Date(), zone)
  const { start, end } = periodOf(search, zone)
  const [month, setMonth] = useState(() => new Date(`${isoDay(end, zone).slice(0, 7)}-01T00:00`))
  const [first, setFirst] = useState<string>()
  const [over, setOver] = useState<string>()
  const grid = useRef<HTMLDivElement>(null)
  const [from, to] = first ? ordered(first, over ?? first) : [start ? isoDay(start, zone) : '', isoDay(end, zone)]

  const choose = (day: string) => {
    if (first === undefined) setFirst(day)
    else onChoose(...ordered(first, day))
  }
  const turn = (months: number) => setMonth(new Date(month.getFullYear(), month.getMonth() + months, 1))
  const move = (event: KeyboardEvent, day: Date) => {
    const days = steps[event.key]
    if (days === undefined) return
    event.preventDefault()
    const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + days)
    if (dayOf(next) > today) return
    setMonth(new Date(next.getFullYear(), next.getMonth(), 1))
    setOver(dayOf(next))
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>(`[data-day="${dayOf(next)}"]`)?.focus())
  }
  return (
    <div className={styles.calendar}>
      <div className={styles.head}>
        <ActionIcon aria-label={texts.analytics.monthBefore} onClick={() => turn(-1)}>
          <ChevronLeft size={16} />
        </ActionIcon>
        <strong aria-live="polite">{title.format(month)}</strong>
        <ActionIcon
          aria-label={texts.analytics.monthAfter}
          disabled={dayOf(month).slice(0, 7) >= today.slice(0, 7)}
          onClick={() => turn(1)}
        >
          <ChevronRight size={16} />
        </ActionIcon>
      </div>
      <div className={styles.grid} ref={grid}>
        {daysFrom(mondayBefore(month), 7).map((day) => (
          <span key={day.getDay()} className={styles.weekday} aria-hidden="true">
            {weekday.format(day)}
          </span>
        ))}
        {daysFrom(mondayBefore(month), 42).map((day) => {
          const iso = dayOf(day)
          return (
            <button
              key={iso}
              type="button"
              className={styles.day}
              data-day={iso}
              data-outside={day.getMonth() !== month.getMonth()}
              data-within={iso >= from && iso <= to}
              data-edge={iso === from || iso === to}
              disabled={iso > today}
              aria-label={full.format(day)}
              aria-pressed={iso >= from && iso <= to}
              onClick={() => choose(iso)}
              onPointerEnter={() => setOver(iso)}
              onKeyDown={(event) => move(event, day)}
            >
              {day.getDate()}
            </button>
          )
        })}
      </div>
      <p className={styles.hint}>{first ? texts.analytics.chooseEnd : texts.analytics.chooseStart}</p>
    </div>
  )
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

/** Of a square of the calendar, which is a date of the browser's clock. */
function dayOf(date: Date): string {
  return isoDay(date, ownZone)
}

function ordered(one: string, other: string): [string, string] {
  return one <= other ? [one, other] : [other, one]
}

function mondayBefore(month: Date): Date {
  return new Date(month.getFullYear(), month.getMonth(), 1 - ((month.getDay() + 6) % 7))
}

function daysFrom(start: Date, count: number): readonly Date[] {
  return Array.from(
    { length: count },
    (_, index) => new Date(start.getFullYear(), start.getMonth(), start.getDate() + index),
  )
}
