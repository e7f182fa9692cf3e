import type { Counter } from 'prom-client'

/** Each area keeps its own figures; a scrape copies them into Prometheus counters, which can only grow. */
export function set(counter: Counter, value: number): void {
  counter.reset()
  counter.inc(value)
}

export function setEach(counter: Counter, label: string, values: Readonly<Record<string, number>>): void {
  counter.reset()
  for (const [name, value] of Object.entries(values)) counter.inc({ [label]: name }, value)
}
