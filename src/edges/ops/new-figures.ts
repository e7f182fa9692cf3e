import { Counter, Gauge, type Registry } from 'prom-client'

/** Makes figures of this registry; a prefix begins all their names. */
export function newFigures(registry: Registry, prefix = '') {
  const settings = (name: string, help: string, labelNames: string[]) => ({
    name: prefix + name,
    help,
    labelNames,
    registers: [registry],
  })
  return {
    counter: (name: string, help: string, ...labelNames: string[]) => new Counter(settings(name, help, labelNames)),
    gauge: (name: string, help: string, ...labelNames: string[]) => new Gauge(settings(name, help, labelNames)),
  }
}
