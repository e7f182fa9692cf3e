/** File checks of `config --check`: opens every file and folder that the configuration names, and changes none. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config/config.js'
import { OperatorError } from '../lib/operator-error.js'
import { requireStreamCertificate } from '../storage/certificates/stream-certificate.js'
import { openGeography } from '../storage/geography/mmdb.js'
import { usesRealNsqd } from '../storage/nsqd/open-publisher.js'
import { loadPlans } from '../storage/plans/plans-file.js'
import { requireSecretsKey } from '../storage/sql/database/encryption.js'
import { requireTlsOrLoopback } from '../worker/embedded-stream.js'

/** One sentence per problem. */
export function fileProblems(config: Config): string[] {
  const checks = [
    () => requireUsable(config.dataDir),
    () => config.databaseUrl === undefined && config.secretsKey === undefined && requireSecretsKey(config.dataDir),
    () => loadPlans(config),
    ...config.geography.map((file) => () => openGeography([file])),
    () => usesRealNsqd(config),
    () => requireTlsOrLoopback(config),
    () => requireStreamCertificate(config.nsqdCertificate, config.nsqdKey),
  ]
  return checks.flatMap((check) => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof OperatorError) return [error.message]
      throw error
    }
  })
}

/** The data directory must be writable; if it is missing, the folder it will be created in. */
function requireUsable(dataDir: string): void {
  let place = dataDir
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  try {
    if (!statSync(place).isDirectory()) throw new Error(`${place} is not a directory`)
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new OperatorError(
      `dataDir: cannot use ${dataDir} (${(error as Error).message}). Choose another with --data-dir.`,
    )
  }
}
