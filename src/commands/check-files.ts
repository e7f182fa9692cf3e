/** File checks of `config --check`: opens every file and folder that the configuration names, and changes none. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config/config.js'
import { OperatorError } from '../lib/operator-error.js'
import { requireTlsOrLoopback } from '../runtime/threads/embedded-stream.js'
import { requireStreamCertificate } from '../storage/certificates/stream-certificate.js'
import { isStoreUrl } from '../storage/copies/s3.js'
import { openGeography } from '../storage/geography/mmdb.js'
import { usesRealNsqd } from '../storage/nsqd/open-publisher.js'
import { loadProviders } from '../storage/oidc/providers-file.js'
import { loadPlans } from '../storage/plans/plans-file.js'
import { secretsKeyIn } from '../storage/sql/database/encryption.js'

/** One sentence per problem. */
export function fileProblems(config: Config): string[] {
  const checks = [
    () => requireUsable(config.dataDir, dataDir),
    () => config.databaseUrl === undefined && config.secretsKey === undefined && secretsKeyIn(config.dataDir),
    () => loadPlans(config),
    () => loadProviders(config),
    () => config.accessLog !== undefined && requireAppendable(config.accessLog),
    () => config.backupTo !== undefined && !isStoreUrl(config.backupTo) && requireUsable(config.backupTo, backupTo),
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

const dataDir = { name: 'dataDir', flag: '--data-dir' }
const backupTo = { name: 'backupTo', flag: '--backup-to' }

/** The folder must be writable; if it is missing, the one it will be created in. */
function requireUsable(folder: string, { name, flag }: typeof dataDir): void {
  let place = folder
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  try {
    if (!statSync(place).isDirectory()) throw new Error(`${place} is not a directory`)
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new OperatorError(`${name}: cannot use ${folder} (${(error as Error).message}). Choose another with ${flag}.`)
  }
}

/** The service creates the file, but not its folder. */
function requireAppendable(file: string): void {
  if (file === '-') return
  try {
    if (!existsSync(file)) accessSync(dirname(file), constants.W_OK | constants.X_OK)
    else if (statSync(file).isDirectory()) throw new Error('it is a directory')
    else accessSync(file, constants.W_OK)
  } catch (error) {
    throw new OperatorError(
      `accessLog: cannot write ${file} (${(error as Error).message}). Choose another with --access-log.`,
    )
  }
}
