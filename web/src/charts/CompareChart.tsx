/** Several series over the same time, each a line of its own colour. The same numbers are in a table for screen readers. */
import { curveMonotoneX, line } from 'd3-shape'
import { useState } from 'react'
import { formatNumber } from '../parts/format.js'
import styles from './CompareChart.module.css'
import { type Scales, TimeChart, type TimeLabel } from './TimeChart.js'

/** As many as there are colours that can be told apart. */
export const maxSeries = 5

interface CompareChartProps {
  readonly name: string
  readonly labels: readonly TimeLabel[]
  readonly series: readonly { readonly key: string; readonly name: string; readonly values: readonly number[] }[]
}

export function CompareChart({ name, labels, series }: CompareChartProps) {
  const [active, setActive] = useState<number>()
  const lines = ({ indexes, at, y }: Scales) =>
    series.map(({ key, values }, place) => (
      <path
        key={key}
        d={line<number>(at, (index) => y(values[index] ?? 0)).curve(curveMonotoneX)(indexes) ?? ''}
        className={styles.line}
        data-series={place}
      />
    ))
  const tip = active !== undefined && (
    <>
      <strong>{labels[active]?.label}</strong>
      {series.map(({ key, name: own, values }, place) => (
        <span key={key} className={styles.entry} data-series={place}>
          {own} <b className="figures">{formatNumber(values[active] ?? 0)}</b>
        </span>
      ))}
    </>
  )
  return (
    <div className={styles.colors}>
      <TimeChart
        name={name}
        labels={labels}
        highest={Math.max(0, ...series.flatMap(({ values }) => values))}
        height={240}
        active={active}
        onActive={setActive}
        lines={lines}
        tip={tip}
      >
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
      </TimeChart>
    </div>
  )
}
