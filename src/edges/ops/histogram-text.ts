/** Histograms, counters and gauges of our own in the text format of Prometheus: prom-client would look up labels for every request. */
import { Histogram } from '../http/figures.js'

export type Labels = Readonly<Record<string, string | number>>

export function histogramText(
  name: string,
  help: string,
  series: readonly { readonly labels: Labels; readonly histogram: Histogram }[],
): string {
  const lines = series.flatMap(({ labels, histogram }) => {
    let total = 0
    const buckets = histogram.counts.map((count, index) => {
      total += count
      return `${name}_bucket${labelText({ ...labels, le: Histogram.bounds[index] ?? '+Inf' })} ${total}`
    })
    return [
      ...buckets,
      `${name}_sum${labelText(labels)} ${histogram.sum}`,
      `${name}_count${labelText(labels)} ${total}`,
    ]
  })
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines, ''].join('\n')
}

export function valuesText(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  series: readonly { readonly labels: Labels; readonly value: number }[],
): string {
  const lines = series.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))
}
