import { inject } from 'vitest'
import type { DeployTools } from './deploy-tools-for-all.js'

/** Programs that check what is in `deploy`, each or why it is not there. */
export function deployTools(): DeployTools {
  return inject('deployTools')
}
