/** One series over time, and optionally the one before it as a dashed line. The same numbers are in a table for screen readers. */
import { useState } from 'react'
import { formatNumber } from '../parts/format.js'
import { curveThrough } from './curve.js'
import styles from './LineChart.module.css'
import { type Scales, TimeChart, type TimeLabel } from './TimeChart.js'

interface Point extends TimeLabel {
  readonly value: number
  /** The value of the period before. */
  readonly before?: number | undefined
  /** What happened at the time. */
  readonly notes?: readonly string[] | undefined
}

interface LineChartProps {
  readonly points: readonly Point[]
  /** What is counted, for the table and the tooltip. */
  readonly name: string
  readonly beforeName?: string | undefined
  readonly height?: number
  /** The last point is not over yet: it stands apart. */
  readonly isLastOpen?: boolean
  /** A click on a point, or Enter. */
  readonly onChoose?: (index: number) => void
}

export function LineChart({ points, name, beforeName, height = 260, isLastOpen = false, onChoose }: LineChartProps) {
  const [active, setActive] = useState<number>()
  const highest = Math.max(0, ...points.map(({ value, before = 0 }) => Math.max(value, before)))
  const shown = active === undefined ? undefined : points[active]
  const lines = ({ indexes, at, y }: Scales) => {
    const finished = isLastOpen ? indexes.slice(0, -1) : indexes
    const curve = (shown: readonly number[], value: (point: Point | undefined) => number | undefined) =>
      curveThrough(shown.map((index) => ({ x: at(index), y: y(value(points[index]) ?? 0) })))
    const line = curve(finished, (point) => point?.value)
    return (
      <>
        {beforeName && <path d={curve(indexes, (point) => point?.before)} className={styles.before} />}
        {finished.length > 0 && <path d={`${line}V${y(0)}H${at(0)}Z`} className={styles.area} />}
        <path d={line} className={styles.line} />
        {indexes.slice(finished.length).map((index) => (
          <circle key={index} cx={at(index)} cy={y(points[index]?.value ?? 0)} r={4} className={styles.open} />
        ))}
        {indexes
          .filter((index) => (points[index]?.notes ?? []).length > 0)
          .map((index) => (
            <circle key={index} cx={at(index)} cy={y(0)} r={5} className={styles.note} />
          ))}
        {active !== undefined && shown && <circle cx={at(active)} cy={y(shown.value)} r={4.5} className={styles.dot} />}
      </>
    )
  }
  const tip = shown && (
    <>
      <span>
        <strong className="figures">{formatNumber(shown.value)}</strong> {name}
      </span>
      <span className={styles.soft}>{shown.label}</span>
      {beforeName && shown.before !== undefined && (
        <span className={`figures ${styles.soft}`}>
          {formatNumber(shown.before)} {beforeName}
        </span>
      )}
      {shown.notes?.map((note) => (
        <span key={note} className={styles.noteText}>
          {note}
        </span>
      ))}
    </>
  )
  return (
    <TimeChart
      name={name}
      labels={points}
      highest={highest}
      height={height}
      isLastOpen={isLastOpen}
      active={active}
      onActive={setActive}
      onChoose={onChoose}
      lines={lines}
      tip={tip}
      said={shown && formatNumber(shown.value)}
    >
      {/* A table itself takes the room of its cells, however small it is said to be. */}
      <div className="visually-hidden">
        <table>
          <caption>{name}</caption>
          <tbody>
            {points.map(({ label, value, notes = [] }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{[formatNumber(value), ...notes].join('. ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </TimeChart>
  )
}
