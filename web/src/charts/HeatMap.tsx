/**
 * Numbers of the hours of a week as shades of one colour, so that they can be told apart without seeing colours. It is a table,
 * and so are its numbers for screen readers; arrow keys move through the cells.
 */
import { type KeyboardEvent, useId, useState } from 'react'
import { formatNumber } from '../parts/format.js'
import { preferredLanguage } from '../texts/texts.js'
import styles from './HeatMap.module.css'

interface HeatMapProps {
  readonly name: string
  /** 168 numbers, from Monday midnight on. */
  readonly values: readonly number[]
  readonly less: string
  readonly more: string
}

const hours = Array.from({ length: 24 }, (_, hour) => hour)
const weekdays = Array.from({ length: 7 }, (_, weekday) => weekday)
const shades = [0, 1, 2, 3, 4, 5] as const

export function HeatMap({ name, values, less, more }: HeatMapProps) {
  const [active, setActive] = useState<number>()
  const id = useId()
  const highest = Math.max(1, ...values)
  const move = (event: KeyboardEvent<HTMLTableElement>) => {
    const next = cellAfter(active ?? 0, event.key)
    if (next === undefined) return
    event.preventDefault()
    document.getElementById(`${id}${next}`)?.focus()
  }
  return (
    <figure className={styles.figure}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take the focus */}
      <table role="grid" className={styles.map} aria-label={name} onKeyDown={move}>
        <thead>
          <tr>
            <td />
            {hours.map((hour) => (
              <th key={hour} scope="col" data-step={stepOf(hour)}>
                <span aria-hidden="true">{hour % 3 === 0 && hourLabel(hour)}</span>
                <span className="visually-hidden">{hourLabel(hour)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekdays.map((weekday) => (
            <tr key={weekday}>
              <th scope="row">
                <span aria-hidden="true">{weekdayLabel(weekday, 'short')}</span>
                <span className="visually-hidden">{weekdayLabel(weekday)}</span>
              </th>
              {hours.map((hour) => {
                const place = 24 * weekday + hour
                const value = values[place] ?? 0
                return (
                  <td
                    key={hour}
                    id={`${id}${place}`}
                    className={styles.cell}
                    data-shade={Math.ceil((5 * value) / highest)}
                    tabIndex={place === (active ?? 0) ? 0 : -1}
                    onFocus={() => setActive(place)}
                    onMouseEnter={() => setActive(place)}
                  >
                    <span className="visually-hidden">{formatNumber(value)}</span>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <figcaption className={styles.legend}>
        <span className={styles.tip}>
          {active !== undefined && (
            <>
              {momentLabel(active)} <b className="figures">{formatNumber(values[active] ?? 0)}</b>
            </>
          )}
        </span>
        <span>{less}</span>
        {shades.map((shade) => (
          <span key={shade} className={styles.shade} data-shade={shade} />
        ))}
        <span>{more}</span>
      </figcaption>
    </figure>
  )
}

/** Undefined for other keys, and beyond the edge. */
function cellAfter(place: number, key: string): number | undefined {
  const hour = place % 24
  if (key === 'ArrowRight') return hour < 23 ? place + 1 : undefined
  if (key === 'ArrowLeft') return hour > 0 ? place - 1 : undefined
  if (key === 'ArrowDown') return place < 144 ? place + 24 : undefined
  if (key === 'ArrowUp') return place >= 24 ? place - 24 : undefined
  if (key === 'Home') return place - hour
  return key === 'End' ? place - hour + 23 : undefined
}

/** Where there is less room, fewer hours have a label. */
function stepOf(hour: number): number | undefined {
  return hour % 6 === 0 ? 6 : hour % 3 === 0 ? 3 : undefined
}

/** A Monday, in UTC. */
const monday = Date.UTC(2026, 0, 5)
const hourLength = 3_600_000
const inUtc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(preferredLanguage(), { ...options, timeZone: 'UTC' })
const formats = {
  hour: inUtc({ hour: 'numeric' }),
  short: inUtc({ weekday: 'short' }),
  long: inUtc({ weekday: 'long' }),
}

function hourLabel(hour: number): string {
  return formats.hour.format(monday + hour * hourLength)
}

function weekdayLabel(weekday: number, style: 'short' | 'long' = 'long'): string {
  return formats[style].format(monday + 24 * weekday * hourLength)
}

/** Such as "Tuesday, 9 AM". */
export function momentLabel(place: number): string {
  return `${weekdayLabel(Math.floor(place / 24))}, ${hourLabel(place % 24)}`
}
