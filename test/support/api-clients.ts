import { inject } from 'vitest'
import type { ApiClients } from './api-clients-for-all.js'

/** Published clients of the API by language, or why there are none. */
export function apiClients(): ApiClients {
  return inject('apiClients')
}
