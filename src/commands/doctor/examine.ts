/** Runs every check of `doctor`: in the running service, with its configuration and limits, or from the command. */
import type { App } from '../../app/app.js'
import type { Config } from '../../config/config.js'
import { type Finding, warning, wrong } from '../../core/administration/finding.js'
import { OperatorError } from '../../lib/operator-error.js'
import { isHalfRestored } from '../../storage/backups/empty-place.js'
import { nodeDns } from '../../storage/dns/node-dns.js'
import type { Records } from '../../storage/sql/records.js'
import { examineApplications } from './applications.js'
import { examineBackups } from './backups.js'
import { examineBaseUrl } from './base-url.js'
import { examineClickLog } from './click-log.js'
import { examineClock } from './clock.js'
import { examineDataDirectory } from './data-directory.js'
import { examineDisk } from './disk.js'
import { type DomainsToExamine, examineDomains } from './domains.js'
import { connectEngines, examineEngines } from './engines.js'
import { examineMigrations } from './migrations.js'
import { examineMove } from './moved-records.js'
import { examineOpenFiles } from './process-limits.js'
import { examineTroubles } from './troubles.js'

export function examineService(app: App): Promise<Finding[]> {
  return examine(app.config, app.clock.now(), [
    ['service', () => examineTroubles(app)],
    ['migrations', () => examineMigrations(app.records)],
    ['DNS', () => examineDomains({ ...app, dnsLookup: nodeDns({ servers: app.config.dnsServers }) })],
    ['applications', () => examineApplications(app)],
    ['base URL', () => examineBaseUrl(app)],
  ])
}

/** Without the service: what needs it is left out, and a line says so. */
export async function examineStopped(
  config: Config,
  openRecords: () => Promise<Records>,
  openDomains: (records: Records) => Pick<DomainsToExamine, 'dns' | 'certificates'>,
): Promise<Finding[]> {
  // There are no records yet, and the service does not start.
  if (isHalfRestored(config.dataDir)) return examine(config, Date.now(), [])
  let records: Promise<Records> | undefined
  const opened = () => {
    records ??= openRecords()
    return records
  }
  try {
    return await examine(config, Date.now(), [
      ['click log', () => examineClickLog(config)],
      ['migrations', async () => examineRecords(await opened())],
      [
        'DNS',
        async () => {
          const { domainStore } = await opened()
          const dnsLookup = nodeDns({ servers: config.dnsServers })
          return examineDomains({ config, dnsLookup, domainStore, ...openDomains(await opened()) })
        },
      ],
      ['base URL', async () => [notRunning(config)]],
    ])
  } finally {
    await records?.then(
      (open) => open.close(),
      () => undefined, // each check that needs them has said so
    )
  }
}

async function examineRecords(records: Records): Promise<Finding[]> {
  const migrated = await examineMigrations(records)
  // An older schema may lack the table.
  return migrated.every(({ state }) => state === 'ok')
    ? [...migrated, ...(await examineMove(records)), ...(await examineApplications(records))]
    : migrated
}

function notRunning({ dataDir }: Config): Finding {
  const message = `No service runs on ${dataDir}: the configuration is that of this shell, and the base URL was not tried.`
  return warning('service', message, 'Start the service and run "shortlink doctor" again.')
}

type Check = readonly [area: string, run: () => Promise<Finding[]> | Finding[]]

async function examine(config: Config, now: number, others: readonly Check[]): Promise<Finding[]> {
  const engines = await connectEngines(config)
  const checks: readonly Check[] = [
    ['data directory', () => examineDataDirectory(config.dataDir)],
    ['disk', () => examineDisk(config.dataDir, now)],
    ['open files', () => examineOpenFiles()],
    ['clock', () => examineClock(config.dataDir, engines, now)],
    ['engines', () => examineEngines(engines)],
    ['backups', () => examineBackups(config, now)],
    ...others,
  ]
  return (await Promise.all(checks.map(guarded))).flat()
}

/** One check that cannot run must not hide the others. */
async function guarded([area, run]: Check): Promise<Finding[]> {
  try {
    return await run()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const remedy =
      error instanceof OperatorError ? 'Correct that, then run "shortlink doctor" again.' : 'Check the log.'
    return [wrong(area, reason, remedy)]
  }
}
