/**
 * One series over time, and optionally the one before it as a dashed line. The same numbers are in a table for screen
 * readers, and a hidden slider lets the arrow keys move through the points.
 */
import { useElementSize } from '@mantine/hooks'
import { scaleLinear, scalePoint } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import { useState } from 'react'
import { formatCompact, formatNumber } from '../parts/format.js'
import styles from './LineChart.module.css'
import { spread } from './spread.js'

interface Point {
  readonly label: string
  /** Shorter, for the axis; empty for none. */
  readonly tick?: string
  readonly value: number
  /** The value of the period before. */
  readonly before?: number | undefined
}

interface LineChartProps {
  readonly points: readonly Point[]
  /** What is counted, for the table and the tooltip. */
  readonly name: string
  readonly beforeName?: string | undefined
  readonly height?: number
  /** The last point is not over yet: its line is dashed. */
  readonly isLastOpen?: boolean
  /** A click on a point, or Enter. */
  readonly onChoose?: (index: number) => void
}

const margin = { top: 12, right: 24, bottom: 26, left: 44 }

export function LineChart({ points, name, beforeName, height = 260, isLastOpen = false, onChoose }: LineChartProps) {
  const { ref, width } = useElementSize()
  const [active, setActive] = useState<number>()
  const highest = Math.max(4, ...points.map(({ value, before = 0 }) => Math.max(value, before)))
  const x = scalePoint<number>()
    .domain(points.map((_, index) => index))
    .range([margin.left, Math.max(margin.left, width - margin.right)])
  const y = scaleLinear()
    .domain([0, highest])
    .nice(4)
    .range([height - margin.bottom, margin.top])
  const at = (index: number) => x(index) ?? margin.left
  const shape = line<number>(at, (index) => y(points[index]?.value ?? 0)).curve(curveMonotoneX)
  const ground = area<number>(at, y(0), (index) => y(points[index]?.value ?? 0)).curve(curveMonotoneX)
  const former = line<number>(at, (index) => y(points[index]?.before ?? 0)).curve(curveMonotoneX)
  const indexes = points.map((_, index) => index)
  const labelled = spread(
    indexes.filter((index) => points[index]?.tick !== ''),
    width,
  )
  const shown = active === undefined ? undefined : points[active]

  const moveTo = (clientX: number, box: DOMRect) => {
    const share = (clientX - box.left - margin.left) / Math.max(1, width - margin.left - margin.right)
    setActive(Math.min(points.length - 1, Math.max(0, Math.round(share * (points.length - 1)))))
  }
  return (
    <figure className={styles.figure} ref={ref}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the hidden slider below is for the keyboard */}
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={name}
        className={styles.chart}
        data-clickable={onChoose !== undefined}
        onClick={() => active !== undefined && onChoose?.(active)}
        onPointerMove={(event) => moveTo(event.clientX, event.currentTarget.getBoundingClientRect())}
        onPointerLeave={() => setActive(undefined)}
      >
        {y.ticks(4).map((tick) => (
          <g key={tick} transform={`translate(0,${y(tick)})`}>
            <line x1={margin.left} x2={width - margin.right} className={styles.grid} />
            <text x={margin.left - 10} dy="0.32em" className={styles.tickY}>
              {formatCompact(tick)}
            </text>
          </g>
        ))}
        {labelled.map((index) => (
          <text key={index} x={at(index)} y={height - 6} className={styles.tickX}>
            {points[index]?.tick ?? points[index]?.label}
          </text>
        ))}
        {width > 0 && points.length > 0 && (
          <>
            {beforeName && <path d={former(indexes) ?? ''} className={styles.before} />}
            <path d={ground(indexes) ?? ''} className={styles.area} />
            <path d={shape(isLastOpen ? indexes.slice(0, -1) : indexes) ?? ''} className={styles.line} />
            {isLastOpen && <path d={shape(indexes.slice(-2)) ?? ''} className={styles.open} />}
          </>
        )}
        {active !== undefined && shown && (
          <>
            <line
              x1={at(active)}
              x2={at(active)}
              y1={margin.top}
              y2={height - margin.bottom}
              className={styles.cursor}
            />
            <circle cx={at(active)} cy={y(shown.value)} r={4.5} className={styles.dot} />
          </>
        )}
      </svg>
      {active !== undefined && shown && (
        <div
          className={styles.tip}
          role="status"
          style={{ left: Math.min(Math.max(at(active), 80), Math.max(80, width - 80)) }}
        >
          <strong className="figures">{formatNumber(shown.value)}</strong> {name}
          <span>{shown.label}</span>
          {beforeName && shown.before !== undefined && (
            <span className="figures">
              {formatNumber(shown.before)} {beforeName}
            </span>
          )}
        </div>
      )}
      <input
        type="range"
        className="visually-hidden"
        aria-label={name}
        min={0}
        max={Math.max(0, points.length - 1)}
        value={active ?? Math.max(0, points.length - 1)}
        aria-valuetext={shown && `${shown.label}: ${formatNumber(shown.value)}`}
        onFocus={() => setActive(points.length - 1)}
        onBlur={() => setActive(undefined)}
        onChange={({ currentTarget }) => setActive(Number(currentTarget.value))}
        onKeyDown={({ key }) => key === 'Enter' && active !== undefined && onChoose?.(active)}
      />
      {/* A table itself takes the room of its cells, however small it is said to be. */}
      <div className="visually-hidden">
        <table>
          <caption>{name}</caption>
          <tbody>
            {points.map(({ label, value }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{formatNumber(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
