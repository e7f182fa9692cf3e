import { inject } from 'vitest'
import type { GoNsq } from './go-nsq-for-all.js'

/** The real nsqd, nsqlookupd and nsq_tail, or why there are none. */
export function goNsq(): GoNsq {
  return inject('goNsq')
}
