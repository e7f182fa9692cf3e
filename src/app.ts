/**
 * The composition root: config -> parts. Read this to learn what the running system is made of; it is the only file
 * that picks implementations (the click thread has its own, worker/click-worker.ts).
 */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { holdClickLog } from './click-log-home.js'
import type { Config } from './config/config.js'
import { TokenCheck } from './core/accounts/authenticate.js'
import type { AdministrationDeps } from './core/administration/operations.js'
import { Imports } from './core/clicks/imports.js'
import type { HeldLease } from './core/clicks/lease.js'
import type { Geography } from './core/clicks/locate.js'
import type { MetricsLog } from './core/clicks/metrics-query.js'
import { SharedSalts } from './core/clicks/shared-salts.js'
import { DnsCheck } from './core/domains/dns-check.js'
import { Domains, type DomainsDeps } from './core/domains/domains.js'
import { settleBuiltIn, whyNotSettled } from './core/domains/settle.js'
import type { Blobs } from './core/images/blobs.js'
import { ApiRequests } from './core/limits/api-requests.js'
import { Connections } from './core/limits/connections.js'
import type { Counters } from './core/limits/counters.js'
import { Plans } from './core/limits/plans.js'
import { PlatformLimits } from './core/limits/platform.js'
import { RedirectCache } from './core/links/redirect-cache.js'
import { MobileAppTable } from './core/mobile-apps/mobile-app-table.js'
import type { QrImages } from './core/qr-design/qr-images.js'
import type { Mail, Sms } from './core/sign-in/messages.js'
import { noStream, type Stream } from './core/stream/stream.js'
import { type Pages, Titles } from './core/titles/titles.js'
import { type DrawHash, randomHash } from './core/values/address.js'
import { type Clock, systemClock } from './core/values/time.js'
import { BackgroundTasks } from './lib/background-tasks.js'
import { Closing } from './lib/closing.js'
import { OperatorError } from './lib/operator-error.js'
import { openRecords } from './open-records.js'
import { nodeDns } from './storage/dns/node-dns.js'
import { openGeography } from './storage/geography/mmdb.js'
import { diskBlobs } from './storage/images/disk-blobs.js'
import { FileJournal } from './storage/journal/journal.js'
import { loggedMail, loggedSms, smsGateway, smtpMail } from './storage/mail/messages.js'
import { MemoryCounters } from './storage/memory/memory-counters.js'
import { nsqdCluster } from './storage/nsqd/cluster.js'
import { usesRealNsqd } from './storage/nsqd/open-publisher.js'
import { guardedPages } from './storage/pages/guarded-pages.js'
import { loadPlans } from './storage/plans/plans-file.js'
import { RenderedQrImages } from './storage/qr-images/qr-images.js'
import { RedirectSnapshotWriter } from './storage/redirect-snapshot/snapshot.js'
import { RedisCounters } from './storage/redis/redis-counters.js'
import type { RecordStores, Records, RecordsOptions } from './storage/sql/records.js'
import type { ClickStreamOptions } from './worker/click-stream.js'
import { type ClickThread, startClickThread } from './worker/click-thread.js'
import { newSalt } from './worker/daily-salts.js'
import { openEmbeddedStream } from './worker/embedded-stream.js'
import { type ListReads, ListThread } from './worker/list-thread.js'
import type { StreamThread } from './worker/stream-thread.js'

export interface App extends RecordStores {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly newHash: DrawHash
  readonly records: Records
  readonly mail: Mail
  /** Undefined when the service has no way to send any. */
  readonly sms: Sms | undefined
  readonly backgroundTasks: BackgroundTasks
  readonly plans: Plans
  readonly platformLimits: PlatformLimits
  readonly apiRequests: ApiRequests
  readonly connections: Connections
  readonly domains: Domains
  readonly qrImages: QrImages
  readonly dns: DnsCheck
  readonly tokens: TokenCheck
  readonly redirectCache: RedirectCache
  readonly journal: FileJournal
  readonly pipeline: ClickThread
  readonly metrics: MetricsLog
  /** Undefined where the click log is not this process' alone to hold. */
  readonly clickLogLease: HeldLease | undefined
  readonly imports: Imports
  readonly stream: Stream
  readonly mobileAppTable: MobileAppTable
  /** The bytes of images. */
  readonly blobs: Blobs
  readonly geography: Geography
  readonly pages: Pages
  readonly titles: Titles
  close(): Promise<void>
}

/** Parts that tests replace. */
export type Overrides = Partial<Pick<App, 'clock' | 'newHash' | 'pages'>>

export async function createApp(config: Config, log: Logger, overrides: Overrides = {}): Promise<App> {
  const closing = new Closing() // closes in reverse order: the pipeline drains before its stores go away
  try {
    const pages = guardedPages({ home: config.baseUrl })
    const given = { config, log, clock: systemClock, newHash: randomHash, pages, ...overrides }
    const plans = openPlans(config, log)
    const records = closing.add(await openRecords(config, { allowances: plans, ...recordEvents(log) }))
    await requireSchema(config, records, log)
    const clickLogLease = await holdClickLog(config, records, log)
    if (clickLogLease) closing.add(clickLogLease)
    // After whatever may refuse the start: a process that does not stay must not change a name.
    await nameBuiltInDomains(config, records, log.child({ room: 'domains' }))
    const onFailure = (err: unknown) => log.error({ err }, 'the short domains could not be read again')
    const { domains, dns } = openDomains(config, { ...records, clock: given.clock, onFailure })
    await closing.add(domains).start()
    await closing.add(plans.attach(records.usage)).start()

    const tokens = closing.add(
      new TokenCheck({
        ...records,
        clock: given.clock,
        onFailure: (err) => log.error({ err }, 'times of last use could not be written'),
      }),
    )
    const { stream, pipeline } = await openPipeline(config, log, { ...records, tokens, clock: given.clock }, closing)
    const lists = openLists(config, log, records, closing)
    const journal = closing.add(openJournal(config, log, pipeline.delivered))
    const redirectCache = new RedirectCache({ ...records, clock: given.clock }, config.redirectCacheSize)
    if (config.databaseUrl !== undefined)
      closing.add(keepRedirectSnapshot(config, log, { ...records, ...given, redirectCache }))

    const atRedirect = openAtRedirect(config, { ...records, clock: given.clock })
    const messages = openMessages(config, log.child({ room: 'sign-in' }), closing)
    const limits = await openLimits(config, log.child({ room: 'limits' }), { ...records, ...given, plans }, closing)
    const titles = closing.add(openTitles(config, log, { ...records, pages: given.pages }))

    const blobs = diskBlobs(join(config.dataDir, 'images'))
    const imports = new Imports((file, tell) => pipeline.importClicks(file, config, tell))
    const deps = {
      ...messages,
      ...limits,
      ...atRedirect,
      ...lists,
      titles,
      blobs,
      domains,
      dns,
      tokens,
      redirectCache,
      imports,
      qrImages: new RenderedQrImages(),
    }
    const clicks = { journal, pipeline, metrics: pipeline, stream, clickLogLease }
    return { ...records, records, ...given, ...deps, ...clicks, close: () => closing.close() }
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** PostgreSQL reads elsewhere; SQLite would stop the process for as long as it looks through many rows. */
function openLists(config: Config, log: Logger, records: Records, closing: Closing): Pick<App, keyof ListReads> {
  if (config.databaseUrl !== undefined) return records
  const thread = closing.add(new ListThread(config, log.child({ room: 'lists' })))
  return {
    links: { ...records.links, ...thread.readsOf('links') },
    campaigns: { ...records.campaigns, ...thread.readsOf('campaigns') },
    usage: { ...records.usage, ...thread.readsOf('usage') },
    audit: { ...records.audit, ...thread.readsOf('audit') },
  }
}

function recordEvents(log: Logger): Pick<RecordsOptions, 'onAvailability' | 'onDeaf'> {
  return {
    onAvailability: (failure) =>
      failure === undefined
        ? log.warn('the database answers again')
        : log.error({ failure }, 'the database does not answer: known links go on, everything else is refused'),
    onDeaf: () =>
      log.warn(
        'notifications of PostgreSQL do not arrive, so changes by other processes are seen up to a minute late: ' +
          'connect to the server itself, or use a pooler in session mode',
      ),
  }
}

/** What administrative commands work with while the service is stopped. */
export function administrationDeps(config: DomainConfig & PlanConfig, records: Records): AdministrationDeps {
  const { usage } = records
  const onFailure = (error: unknown) => {
    throw error
  }
  const plans = new Plans({ ...planOptions(config), onFailure }).attach(usage)
  const opened = openDomains(config, { ...records, onFailure, clock: systemClock })
  return { ...records, clock: systemClock, plans, ...opened }
}

type PlanConfig = Pick<Config, 'plans' | 'defaultPlan'>

function planOptions(config: PlanConfig) {
  return { plans: loadPlans(config), defaultPlan: config.defaultPlan }
}

function openPlans(config: PlanConfig, log: Logger): Plans {
  const onFailure = (err: unknown) => log.error({ err }, 'the plans of organizations could not be read again')
  return new Plans({ ...planOptions(config), onFailure })
}

/** What stands before every API request. Requests that were counted are written before the records close. */
async function openLimits(
  config: Config,
  log: Logger,
  deps: Pick<App, 'clock' | 'usage' | 'plans'>,
  closing: Closing,
): Promise<Pick<App, 'plans' | 'platformLimits' | 'apiRequests' | 'connections'>> {
  const { apiRequestsPerHour: perAccount, addressRequestsPerHour: perAddress, endpointLimits: endpoints } = config
  const counters = closing.add(await openCounters(config, log))
  const onFailure = (err: unknown) => log.error({ err }, 'counts of API requests could not be written')
  return {
    plans: deps.plans,
    platformLimits: new PlatformLimits({ ...deps, counters }, { perAccount, perAddress, endpoints }),
    apiRequests: closing.add(new ApiRequests({ ...deps, onFailure })),
    connections: new Connections({
      max: config.apiConnections,
      networks: config.networkConnections,
      timeout: config.apiConnectionWait,
    }),
  }
}

async function openCounters({ redisUrl }: Config, log: Logger): Promise<Counters> {
  if (redisUrl === undefined) return new MemoryCounters()
  const counters = new RedisCounters(redisUrl, {
    onChange: (failure) =>
      failure === undefined
        ? log.warn('Redis is back: requests are limited again')
        : log.error({ failure }, 'Redis is away: requests go on, and are not limited'),
  })
  await counters.connected()
  return counters
}

type DomainConfig = Pick<Config, 'domains' | 'baseUrl' | 'dnsServers' | 'dnsTargets'>

function openDomains(config: DomainConfig, deps: DomainsDeps & { clock: Clock }): { domains: Domains; dns: DnsCheck } {
  const { baseUrl, domains: builtIn, dnsServers: servers, dnsTargets } = config
  const dnsLookup = nodeDns({ servers })
  return {
    domains: new Domains(deps, { builtIn, baseUrl }),
    dns: new DnsCheck({ dnsLookup, clock: deps.clock }, dnsTargets),
  }
}

/** How people are written to. Messages wait for nobody, and are out before the service closes. */
function openMessages(config: Config, log: Logger, closing: Closing) {
  const { smtpUrl: url, smsGatewayUrl, smsGatewaySecret: secret } = config
  const from = config.mailFrom ?? `shortlink@${new URL(config.baseUrl).hostname}`
  const mail = url === undefined ? loggedMail(log) : closing.add(smtpMail({ url, from }))
  const inDevelopment = process.env.NODE_ENV === 'production' ? undefined : loggedSms(log)
  const sms = smsGatewayUrl === undefined ? inDevelopment : smsGateway({ url: smsGatewayUrl, secret })
  const onFailure = (err: unknown) => log.error({ err }, 'a message could not be sent')
  const backgroundTasks = closing.add(new BackgroundTasks(onFailure))
  return { mail, sms, backgroundTasks }
}

/** Where clicks go. The stream closes last of these: it takes what the click thread still has. */
async function openPipeline(
  config: Config,
  log: Logger,
  deps: Pick<App, 'streamStore' | 'groups' | 'tokens' | 'clock'> & Pick<Records, 'clickStore'>,
  closing: Closing,
): Promise<Pick<App, 'stream' | 'pipeline'>> {
  const streaming = log.child({ room: 'stream' })
  // Records that are shared may have several processes, each of which counts the same visitors.
  const onFailure = (err: unknown) => log.warn({ err }, 'the visitor salts could not be read: the known ones are used')
  const salts =
    config.databaseUrl === undefined
      ? undefined
      : closing.add(await SharedSalts.open({ ...deps, draw: newSalt, onFailure }))
  const startPipeline = async (stream?: ClickStreamOptions, thread?: StreamThread) =>
    closing.add(await startClickThread({ ...config, stream }, log.child({ room: 'pipeline' }), thread, salts))
  const { databaseUrl, dataDir, secretsKey } = config
  const records = { databaseUrl, dataDir, secretsKey }
  // A click thread that is being started again reads by itself who may read, and some seconds later at the latest.
  const refresh = (pipeline: ClickThread, watched: readonly string[]) =>
    pipeline.refreshStream(watched).catch((err) => streaming.warn({ err }, 'what is published changes a little later'))

  if (usesRealNsqd(config)) {
    const { nsqdTcpAddresses, nsqdHttpAddresses, nsqlookupdHttpAddresses, nsqdAuthSecret, nsqdBacklog } = config
    const addresses = { nsqdTcpAddresses, nsqdHttpAddresses, nsqlookupdHttpAddresses }
    const pipeline = await startPipeline({
      records,
      daemons: { dataDir, ...addresses, nsqdAuthSecret, nsqdBacklog },
    })
    const onFailure = (address: string, reason: string) =>
      streaming.warn({ address, reason }, 'a daemon of the stream does not answer')
    const accessChanged = () => refresh(pipeline, [])
    return { pipeline, stream: { ...nsqdCluster(config, { onFailure }), accessChanged } }
  }
  if (config.nsqdPort === undefined) return { pipeline: await startPipeline(), stream: noStream }

  const { stream, thread } = await openEmbeddedStream(
    config,
    streaming,
    deps,
    (watched) => refresh(pipeline, watched),
    closing,
  )
  const pipeline = await startPipeline({ records, daemons: undefined }, thread)
  return { pipeline, stream }
}

/** For a start while the database is away (outage.ts). */
function keepRedirectSnapshot(
  { dataDir }: Config,
  log: Logger,
  deps: Pick<App, 'redirectCache' | 'domainStore' | 'clock'>,
): RedirectSnapshotWriter {
  const onFailure = (err: unknown) => log.warn({ err }, 'the redirect cache could not be written')
  return new RedirectSnapshotWriter({ ...deps, onFailure }, dataDir)
}

/** What links with rules need. The files with geography are only checked here, and read when a rule asks for a place. */
function openAtRedirect(config: Config, deps: Pick<App, 'mobileApps' | 'clock'>) {
  return { mobileAppTable: new MobileAppTable(deps), geography: openGeography(config.geography) }
}

function openTitles(config: Config, log: Logger, deps: Pick<Records, 'links'> & Pick<App, 'pages'>): Titles {
  const onFailure = (err: unknown) => log.error({ err }, 'a page title could not be written')
  return new Titles({ ...deps, onFailure }, { enabled: config.titles === 'on' })
}

/** The embedded database migrates itself; a shared one is migrated by its operator, at a moment of their choice. */
async function requireSchema(config: Config, records: Records, log: Logger): Promise<void> {
  const pending = await records.pendingMigrations()
  if (pending.length === 0) return
  if (config.databaseUrl !== undefined) {
    throw new OperatorError(
      `The database is ${pending.length} migration(s) behind this version. Run "bin/shortlink migrate" first.`,
    )
  }
  log.info({ migrations: await records.migrate() }, 'database migrated')
}

/** The configured names become those of the built-in domains; their links stay where they are. */
async function nameBuiltInDomains({ domains }: Config, { domainStore }: Records, log: Logger): Promise<void> {
  const settled = await settleBuiltIn(domainStore, domains)
  if (settled.outcome !== 'settled') throw new OperatorError(whyNotSettled(settled, domains))
  for (const change of settled.renamed) {
    log.info(change, 'a built-in domain has a new name: its links and statistics go with it, the old name still works')
  }
  if (settled.notConfigured.length > 0) {
    log.warn(
      { domains: settled.notConfigured },
      'there are links on domains that are not configured: they answer under these names only. ' +
        'Add them to --domains, or give them another name with "bin/shortlink domain rename OLD NEW"',
    )
  }
}

function openJournal(config: Config, log: Logger, delivered: number | undefined): FileJournal {
  return new FileJournal(join(config.dataDir, 'journal'), {
    durability: config.durability,
    delivered: delivered ?? 'unknown',
    onChange: (failure) =>
      failure === undefined
        ? log.warn('the journal can be written again')
        : log.error({ failure }, 'the journal cannot be written: redirects go on, their clicks are lost'),
  })
}
