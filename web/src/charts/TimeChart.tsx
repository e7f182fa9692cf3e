/**
 * What charts over time have in common: axes, the cursor under the pointer, and what is said about the place there. A
 * hidden slider lets the arrow keys move through the places.
 */
import { useElementSize } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'
import { formatCompact } from '../parts/format.js'
import { ticksTo } from './axis.js'
import { spread } from './spread.js'
import styles from './TimeChart.module.css'
import over from './Tip.module.css'

/** A place on the axis of time. */
export interface TimeLabel {
  readonly label: string
  /** Shorter, for the axis; empty for none. */
  readonly tick?: string
}

export interface Scales {
  /** All places, first to last. */
  readonly indexes: readonly number[]
  /** Pixels from the left. */
  at(index: number): number
  /** Pixels from the top. */
  y(value: number): number
}

interface TimeChartProps {
  /** What is counted. */
  readonly name: string
  readonly labels: readonly TimeLabel[]
  readonly highest: number
  readonly height: number
  /** The last place is not over yet: it is hatched, and no line leads there. */
  readonly isLastOpen: boolean
  /** The place under the pointer. */
  readonly active: number | undefined
  readonly onActive: (index: number | undefined) => void
  readonly onChoose?: ((index: number) => void) | undefined
  readonly lines: (scales: Scales) => ReactNode
  /** About the active place. */
  readonly tip: ReactNode
  /** The same for screen readers, after its label. */
  readonly said: string | undefined
  /** Below the chart, and what is for screen readers. */
  readonly children: ReactNode
}

const margin = { top: 12, right: 24, bottom: 26, left: 44 }
/** Half of what a tip needs at least: it stays inside the chart. */
const tipRoom = 80

export function TimeChart({
  name,
  labels,
  highest,
  height,
  isLastOpen,
  active,
  onActive,
  onChoose,
  lines,
  tip,
  said,
  children,
}: TimeChartProps) {
  const { ref, width } = useElementSize()
  const hatch = useId()
  const indexes = labels.map((_, index) => index)
  const last = Math.max(0, labels.length - 1)
  const ticks = ticksTo(highest)
  const right = Math.max(margin.left, width - margin.right)
  // A single place is in the middle.
  const at = (index: number) =>
    margin.left + (right - margin.left) * (labels.length > 1 ? index / (labels.length - 1) : 0.5)
  const bottom = height - margin.bottom
  const y = (value: number) => bottom - (bottom - margin.top) * (value / (ticks.at(-1) ?? 1))
  const labelled = spread(
    indexes.filter((index) => labels[index]?.tick !== ''),
    width,
  )
  const moveTo = (clientX: number, box: DOMRect) => {
    const share = (clientX - box.left - margin.left) / Math.max(1, width - margin.left - margin.right)
    onActive(Math.min(labels.length - 1, Math.max(0, Math.round(share * (labels.length - 1)))))
  }
  return (
    <figure className={styles.figure} ref={ref}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the hidden slider is for the keyboard */}
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={name}
        className={styles.chart}
        data-clickable={onChoose !== undefined}
        onClick={() => active !== undefined && onChoose?.(active)}
        onPointerMove={(event) => moveTo(event.clientX, event.currentTarget.getBoundingClientRect())}
        onPointerLeave={() => onActive(undefined)}
      >
        {ticks.map((tick) => (
          <g key={tick} transform={`translate(0,${y(tick)})`}>
            <line x1={margin.left} x2={width - margin.right} className={styles.grid} />
            <text x={margin.left - 10} dy="0.32em" className={styles.tickY}>
              {formatCompact(tick)}
            </text>
          </g>
        ))}
        {isLastOpen && last > 0 && width > 0 && (
          <>
            <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <path d="M0 0v6" className={styles.hatch} />
            </pattern>
            <rect
              x={at(last - 1)}
              y={margin.top}
              width={at(last) - at(last - 1)}
              height={bottom - margin.top}
              fill={`url(#${hatch})`}
              data-unfinished
            />
          </>
        )}
        {labelled.map((index) => (
          <text key={index} x={at(index)} y={height - 6} className={styles.tickX}>
            {labels[index]?.tick ?? labels[index]?.label}
          </text>
        ))}
        {active !== undefined && (
          <line x1={at(active)} x2={at(active)} y1={margin.top} y2={bottom} className={styles.cursor} />
        )}
        {width > 0 && labels.length > 0 && lines({ indexes, at, y })}
      </svg>
      {active !== undefined && (
        <div
          className={`${over.tip} ${styles.tip}`}
          role="status"
          style={{ left: Math.min(Math.max(at(active), tipRoom), Math.max(tipRoom, width - tipRoom)) }}
        >
          {tip}
        </div>
      )}
      <input
        type="range"
        className="visually-hidden"
        aria-label={name}
        min={0}
        max={last}
        value={active ?? last}
        aria-valuetext={active === undefined ? undefined : `${labels[active]?.label}: ${said}`}
        onFocus={() => onActive(last)}
        onBlur={() => onActive(undefined)}
        onChange={({ currentTarget }) => onActive(Number(currentTarget.value))}
        onKeyDown={({ key }) => key === 'Enter' && active !== undefined && onChoose?.(active)}
      />
      {children}
    </figure>
  )
}
