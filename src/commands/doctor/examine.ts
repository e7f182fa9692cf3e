/** Runs every check of `doctor`: in the running service, with its configuration and limits, or from the command. */

import type { Config } from '../../config/config.js'
import { type Finding, warning, wrong } from '../../core/administration/finding.js'
import { environmentFault } from '../../lib/environment-fault.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import type { App } from '../../runtime/app.js'
import { isHalfRestored } from '../../storage/copies/empty-place.js'
import { nodeDns } from '../../storage/dns/node-dns.js'
import type { Records } from '../../storage/records/records.js'
import { examineApplications } from './applications.js'
import { examineBackups } from './backups.js'
import { examineBaseUrl } from './base-url.js'
import { examineClickLog } from './click-log.js'
import { examineClock, examineFuture } from './clock.js'
import { examineDataDirectory } from './data-directory.js'
import { examineDisk } from './disk.js'
import { type DomainsToExamine, examineDomains } from './domains.js'
import { connectEngines, type EngineState, examineEngines } from './engines.js'
import { examineProviders } from './identity-providers.js'
import { examineMigrations } from './migrations.js'
import { examineMove } from './moved-records.js'
import { examineOpenFiles } from './process-limits.js'
import { examineRecordsFile } from './records-file.js'
import { examineSecrets } from './secrets.js'
import { examineTroubles } from './troubles.js'

export function examineService(app: App): Promise<Finding[]> {
  const { config } = app
  const dnsLookup = nodeDns({ servers: config.dnsServers })
  return examine(config, app.clock.now(), async (engines) => {
    const stored = await examineStored(config, engines, async () => app.records)
    return [
      ...known(await guarded(['service', () => examineTroubles({ ...app, journal: app.journals })]), stored, engines),
      ...stored.findings,
      ...(stored.isReadable ? await guarded(['clock', () => examineFuture(app, app.clock.now())]) : []),
      ...(await guarded(['DNS', () => examineDomains({ ...app, dnsLookup, ...readableDomains(stored, app) })])),
      ...(await guarded(['base URL', () => examineBaseUrl(app)])),
    ]
  })
}

/** Without the service: what needs it is left out, and a line says so. */
export async function examineStopped(
  config: Config,
  openRecords: () => Promise<Records>,
  openDomains: (records: Records) => Pick<DomainsToExamine, 'dns' | 'certificates'>,
): Promise<Finding[]> {
  return examine(config, Date.now(), async (engines) => {
    // There are no records yet, and the service does not start.
    if (isHalfRestored(config.dataDir)) return []
    let records: Records | undefined
    try {
      const stored = await examineStored(config, engines, async () => {
        records ??= await openRecords()
        return records
      })
      const opened = records
      const domains = async () => {
        if (!opened) return []
        const dnsLookup = nodeDns({ servers: config.dnsServers })
        return examineDomains({ config, dnsLookup, ...readableDomains(stored, opened), ...openDomains(opened) })
      }
      return [
        ...(await guarded(['click log', () => examineClickLog(config)])),
        ...stored.findings,
        ...(opened && stored.isReadable ? await guarded(['clock', () => examineFuture(opened, Date.now())]) : []),
        ...(await guarded(['DNS', domains])),
        notRunning(config),
      ]
    } finally {
      await records?.close()
    }
  })
}

interface Stored {
  readonly findings: readonly Finding[]
  /** Their tables can be read. */
  readonly isReadable: boolean
}

/** The records. What is wrong with them is said once: what needs them is left out then. */
async function examineStored(
  config: Config,
  engines: readonly EngineState[],
  open: () => Promise<Records>,
): Promise<Stored> {
  // The line of the engine says so.
  if (hasFailed(engines, 'databaseUrl')) return { findings: [], isReadable: false }
  const file = await guarded(['records', () => examineRecordsFile(config)])
  if (!file.every(isOk)) return { findings: file, isReadable: false }
  const migrated = await guarded(['migrations', async () => examineMigrations(await open())])
  if (!migrated.every(isOk)) return { findings: [...file, ...migrated], isReadable: false }
  const moved = await guarded(['records', async () => examineMove(await open())])
  const applications = await guarded(['applications', async () => examineApplications(await open())])
  const secrets = await guarded(['secrets', async () => examineSecrets(await open())])
  return { findings: [...file, ...migrated, ...moved, ...applications, ...secrets], isReadable: true }
}

/** Branded domains are records; those of the configuration can be looked up without them. */
function readableDomains({ isReadable }: Stored, { domainStore }: Pick<Records, 'domainStore'>) {
  return { domainStore: isReadable ? domainStore : { list: async () => [] } }
}

/** Troubles of the service that no other line tells. */
function known(
  troubles: readonly Finding[],
  { findings }: Stored,
  engines: readonly EngineState[],
): readonly Finding[] {
  const told = new Set<string>(findings.filter((finding) => !isOk(finding)).map(({ area }) => area))
  for (const [area, option] of Object.entries(optionOfArea)) if (hasFailed(engines, option)) told.add(area)
  return troubles.filter(({ area }) => !told.has(area))
}

const optionOfArea = {
  records: 'databaseUrl',
  'click log': 'clickhouseUrl',
  limits: 'redisUrl',
  smtp: 'smtpUrl',
  sms: 'smsGatewayUrl',
  s3: 's3Url',
} as const

function hasFailed(engines: readonly EngineState[], wanted: EngineState['option']): boolean {
  return engines.some(({ option, failure }) => option === wanted && failure !== undefined)
}

function isOk({ state }: Finding): boolean {
  return state === 'ok'
}

function notRunning({ dataDir }: Config): Finding {
  const message = `No service runs on ${dataDir}: the configuration is that of this shell, and the base URL was not tried.`
  return warning('service', message, 'Start the service and run "shortlink doctor" again.')
}

type Check = readonly [area: string, run: () => Promise<Finding[]> | Finding[]]

async function examine(
  config: Config,
  now: number,
  others: (engines: readonly EngineState[]) => Promise<Finding[]>,
): Promise<Finding[]> {
  const engines = await connectEngines(config)
  const checks: readonly Check[] = [
    ['data directory', () => examineDataDirectory(config.dataDir)],
    ['disk', () => examineDisk(config.dataDir, now)],
    ['open files', () => examineOpenFiles()],
    ['clock', () => examineClock(config.dataDir, engines, now)],
    ['engines', () => examineEngines(engines)],
    ['backups', () => examineBackups(config, now)],
    ['identity providers', () => examineProviders(config)],
  ]
  const [found, rest] = await Promise.all([Promise.all(checks.map(guarded)), others(engines)])
  const findings = found.flat()
  const hasNoRoom = findings.some(({ area, state }) => /^(data directory|disk)$/.test(area) && state === 'wrong')
  // A full or read-only disk fails several checks: it is said once.
  return [...findings, ...(hasNoRoom ? rest.filter(({ message }) => !refusedByDisk.test(message)) : rest)]
}

/** What environmentFault says of a full or read-only disk. */
const refusedByDisk = /^The (disk is full|file system is read-only)\./

/** One check that cannot run must not hide the others. */
async function guarded([area, run]: Check): Promise<Finding[]> {
  try {
    return await run()
  } catch (error) {
    const fault = environmentFault(error)
    const reason = fault ?? messageOf(error)
    const remedy =
      error instanceof OperatorError || fault !== undefined
        ? 'Correct that, then run "shortlink doctor" again.'
        : 'Check the log.'
    return [wrong(area, reason, remedy)]
  }
}
