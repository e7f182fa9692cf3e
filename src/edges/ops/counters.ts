import type { Counter } from 'prom-client'

/** Figures are kept where they arise; a scrape copies them into Prometheus' own counters, which can only grow. */
export function set(counter: Counter, value: number): void {
  counter.reset()
  counter.inc(value)
}

export function setEach(counter: Counter, label: string, values: Readonly<Record<string, number>>): void {
  counter.reset()
  for (const [name, value] of Object.entries(values)) counter.inc({ [label]: name }, value)
}
