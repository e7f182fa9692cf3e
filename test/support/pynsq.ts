import { inject } from 'vitest'
import type { Pynsq } from './pynsq-for-all.js'

/** A Python that has pynsq, or why there is none. */
export function pynsq(): Pynsq {
  return inject('pynsq')
}
