import { inject } from 'vitest'
import type { OtlpPackages } from './otlp-packages-for-all.js'

/** The packages that --otlp-url needs, or why there are none. */
export function otlpPackages(): OtlpPackages {
  return inject('otlpPackages')
}
