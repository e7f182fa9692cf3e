/** Several series over the same time, each a line of its own colour. The same numbers are in a table for screen readers. */
import { useElementSize } from '@mantine/hooks'
import { scaleLinear, scalePoint } from 'd3-scale'
import { curveMonotoneX, line } from 'd3-shape'
import { useState } from 'react'
import { formatCompact, formatNumber } from '../parts/format.js'
import styles from './CompareChart.module.css'
import { spread } from './spread.js'

/** As many as there are colours that can be told apart. */
export const maxSeries = 5

interface CompareChartProps {
  readonly name: string
  readonly labels: readonly { readonly label: string; readonly tick: string }[]
  readonly series: readonly { readonly key: string; readonly name: string; readonly values: readonly number[] }[]
}

const height = 240
const margin = { top: 12, right: 24, bottom: 26, left: 44 }

export function CompareChart({ name, labels, series }: CompareChartProps) {
  const { ref, width } = useElementSize()
  const [active, setActive] = useState<number>()
  const indexes = labels.map((_, index) => index)
  const x = scalePoint<number>()
    .domain(indexes)
    .range([margin.left, Math.max(margin.left, width - margin.right)])
  const y = scaleLinear()
    .domain([0, Math.max(4, ...series.flatMap(({ values }) => values))])
    .nice(4)
    .range([height - margin.bottom, margin.top])
  const at = (index: number) => x(index) ?? margin.left
  const labelled = spread(
    indexes.filter((index) => labels[index]?.tick !== ''),
    width,
  )
  const moveTo = (clientX: number, box: DOMRect) => {
    const share = (clientX - box.left - margin.left) / Math.max(1, width - margin.left - margin.right)
    setActive(Math.min(labels.length - 1, Math.max(0, Math.round(share * (labels.length - 1)))))
  }
  return (
    <figure className={styles.figure} ref={ref}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={name}
        className={styles.chart}
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
            {labels[index]?.tick}
          </text>
        ))}
        {active !== undefined && (
          <line x1={at(active)} x2={at(active)} y1={margin.top} y2={height - margin.bottom} className={styles.cursor} />
        )}
        {width > 0 &&
          series.map(({ key, values }, place) => (
            <path
              key={key}
              d={line<number>(at, (index) => y(values[index] ?? 0)).curve(curveMonotoneX)(indexes) ?? ''}
              className={styles.line}
              data-series={place}
            />
          ))}
      </svg>
      {active !== undefined && (
        <div className={styles.tip} style={{ left: Math.min(Math.max(at(active), 80), Math.max(80, width - 80)) }}>
          <strong>{labels[active]?.label}</strong>
          {series.map(({ key, name: own, values }, place) => (
            <span key={key} className={styles.entry} data-series={place}>
              {own} <b className="figures">{formatNumber(values[active] ?? 0)}</b>
            </span>
          ))}
        </div>
      )}
      <figcaption className={styles.legend}>
        {series.map(({ key, name: own, values }, place) => (
          <span key={key} className={styles.entry} data-series={place}>
            {own} <b className="figures">{formatNumber(values.reduce((sum, value) => sum + value, 0))}</b>
          </span>
        ))}
      </figcaption>
      {/* A table itself takes the room of its cells, however small it is said to be. */}
      <div className="visually-hidden">
        <table>
          <caption>{name}</caption>
          <thead>
            <tr>
              <td />
              {series.map(({ key, name: own }) => (
                <th key={key} scope="col">
                  {own}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map(({ label }, index) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {series.map(({ key, values }) => (
                  <td key={key}>{formatNumber(values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
