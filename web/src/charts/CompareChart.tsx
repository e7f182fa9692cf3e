/** Several series over the same time, each a line of its own that can be hidden. The same numbers are in a table for screen readers. */
import { type ReactNode, useState } from 'react'
import { formatNumber } from '../parts/format.js'
import styles from './CompareChart.module.css'
import { curveThrough } from './curve.js'
import noted from './LineChart.module.css'
import { maxSeries } from './max-series.js'
import { type Scales, TimeChart, type TimeLabel } from './TimeChart.js'

export interface NamedSeries {
  readonly key: string
  readonly name: string
  /** One per label. Undefined where they could not be loaded: the series is left out. */
  readonly values: readonly number[] | undefined
  /** The last value is not over yet: it stands apart. */
  readonly isLastOpen?: boolean
}

interface CompareChartProps {
  readonly name: string
  readonly labels: readonly TimeLabel[]
  /** At most `maxSeries`. */
  readonly series: readonly NamedSeries[]
  /** What happened at the time of each label. */
  readonly notes?: readonly (readonly string[])[]
}

export function CompareChart({ name, labels, series, notes = [] }: CompareChartProps) {
  const [active, setActive] = useState<number>()
  const [hidden, setHidden] = useState<readonly string[]>([])
  // A series keeps its colour while others are hidden or left out.
  const loaded = series.flatMap(({ values, ...each }, place) => (values ? [{ ...each, values, place }] : []))
  const shown = loaded.filter(({ key }) => !hidden.includes(key))
  const lines = ({ indexes, at, y }: Scales) => (
    <>
      {shown.map(({ key, values, isLastOpen, place }) => {
        const finished = isLastOpen ? indexes.slice(0, -1) : indexes
        const line = curveThrough(finished.map((index) => ({ x: at(index), y: y(values[index] ?? 0) })))
        return (
          <g key={key} data-series={place}>
            <path d={line} className={styles.line} data-series={place} />
            {indexes.slice(finished.length).map((index) => (
              <circle key={index} cx={at(index)} cy={y(values[index] ?? 0)} r={4} className={styles.open} />
            ))}
          </g>
        )
      })}
      {indexes
        .filter((index) => (notes[index] ?? []).length > 0)
        .map((index) => (
          <circle key={`note ${index}`} cx={at(index)} cy={y(0)} r={5} className={noted.note} />
        ))}
      {shown.map(({ key, values, place }) => {
        // A line of one point would not be seen.
        const index = active ?? (labels.length === 1 ? 0 : undefined)
        if (index === undefined) return null
        return (
          <circle
            key={key}
            className={styles.point}
            data-series={place}
            cx={at(index)}
            cy={y(values[index] ?? 0)}
            r={4.5}
          />
        )
      })}
    </>
  )
  const tip = active !== undefined && (
    <>
      <strong>{labels[active]?.label}</strong>
      {shown.map(({ key, name: own, values, place }) => (
        <SeriesName key={key} place={place}>
          {own} <b className="figures">{formatNumber(values[active] ?? 0)}</b>
        </SeriesName>
      ))}
      {notes[active]?.map((note) => (
        <span key={note} className={noted.noteText}>
          {note}
        </span>
      ))}
    </>
  )
  return (
    <TimeChart
      name={name}
      labels={labels}
      highest={Math.max(0, ...shown.flatMap(({ values }) => values))}
      height={240}
      isLastOpen={shown.some(({ isLastOpen }) => isLastOpen)}
      active={active}
      onActive={setActive}
      lines={lines}
      tip={tip}
      said={
        active === undefined
          ? undefined
          : [
              shown.map((each) => `${each.name} ${formatNumber(each.values[active] ?? 0)}`).join(', '),
              ...(notes[active] ?? []),
            ].join('. ')
      }
    >
      <figcaption className={styles.legend}>
        {loaded.map(({ key, name: own, values, place }) => (
          <button
            key={key}
            type="button"
            className={`${styles.entry} ${styles.toggle}`}
            data-series={place}
            aria-pressed={!hidden.includes(key)}
            onClick={() => setHidden(hidden.includes(key) ? hidden.filter((each) => each !== key) : [...hidden, key])}
          >
            {own} <b className="figures">{formatNumber(values.reduce((sum, value) => sum + value, 0))}</b>
          </button>
        ))}
      </figcaption>
      {/* A table itself takes the room of its cells, however small it is said to be. */}
      <div className="visually-hidden">
        <table>
          <caption>{name}</caption>
          <thead>
            <tr>
              <td />
              {loaded.map(({ key, name: own }) => (
                <th key={key} scope="col">
                  {own}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map(({ label }, index) => (
              <tr key={label}>
                <th scope="row">{[label, ...(notes[index] ?? [])].join('. ')}</th>
                {loaded.map(({ key, values }) => (
                  <td key={key}>{formatNumber(values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </TimeChart>
  )
}

interface SeriesNameProps {
  readonly place: number
  readonly children: ReactNode
}

/** A name with the colour of its line; without one where the chart has no line for it. */
export function SeriesName({ place, children }: SeriesNameProps) {
  return (
    <span className={styles.entry} data-series={place < maxSeries ? place : undefined}>
      {children}
    </span>
  )
}
