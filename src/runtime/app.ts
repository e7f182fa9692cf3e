/**
 * The composition root: creates and connects the parts of the service from its configuration. Only this file and its open-*.ts pick
 * implementations; the click thread has its own composition root, threads/click-worker.ts.
 */
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { TokenCheck } from '../core/accounts/authenticate.js'
import type { AdministrationDeps } from '../core/administration/operations.js'
import type { ReadTable } from '../core/bulk/table-rows.js'
import type { ClickQueries } from '../core/clicks/click-log.js'
import { Imports } from '../core/clicks/imports.js'
import type { JournalDeliveries } from '../core/clicks/journal-delivery.js'
import type { JournalReports } from '../core/clicks/journal-reports.js'
import type { HeldLease } from '../core/clicks/lease.js'
import type { Geography } from '../core/clicks/locate.js'
import type { MetricsLog } from '../core/clicks/metrics-query.js'
import type { LostRows } from '../core/copies/record-tables.js'
import type { BackupSchedule } from '../core/copies/schedule.js'
import type { CertificateLookup } from '../core/domains/certificate-check.js'
import { IdempotentRequests } from '../core/idempotency/idempotent-requests.js'
import type { IdentityProvider } from '../core/identity-providers/provider.js'
import { isSessionAlive } from '../core/identity-providers/provider-sessions.js'
import { Plans } from '../core/limits/plans.js'
import { oldHistory } from '../core/links/old-history.js'
import { RedirectCache } from '../core/links/redirect-cache.js'
import { LiveReaders } from '../core/live/live-readers.js'
import { MobileAppTable, type MobileAppTableDeps } from '../core/mobile-apps/mobile-app-table.js'
import { ClientDocuments, type DocumentSource } from '../core/oauth/client-documents.js'
import { PublicQrImages } from '../core/qr-codes/public-images.js'
import type { QrImages } from '../core/qr-design/qr-images.js'
import type { Mail, Sms } from '../core/sign-in/messages.js'
import type { SessionDeps } from '../core/sign-in/sessions.js'
import { SiteIcons } from '../core/titles/site-icons.js'
import { type Pages, Titles } from '../core/titles/titles.js'
import { type LinkWordChoice, linkWordChoice } from '../core/values/link-word.js'
import { type DrawHash, randomHash } from '../core/values/random.js'
import { type Clock, systemClock } from '../core/values/time.js'
import { oldDeliveries } from '../core/webhooks/old-deliveries.js'
import type { WebhookTiming } from '../core/webhooks/webhook-queue.js'
import type { WebhookDeliveries } from '../core/webhooks/webhooks.js'
import { Histogram } from '../edges/http/figures.js'
import { Probes } from '../edges/ops/probes.js'
import { BackgroundTasks } from '../lib/background-tasks.js'
import type { Remote } from '../lib/circuit-breaker.js'
import { ClockWatch } from '../lib/clock-watch.js'
import { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import type { PeriodicTask } from '../lib/periodic-task.js'
import { version } from '../lib/version.js'
import { type DiskUsage, diskUsageOf } from '../storage/disk-usage/disk-usage.js'
import { openGeography } from '../storage/geography/mmdb.js'
import type { FileJournal } from '../storage/journal/journal.js'
import { loggedMail, loggedSms, smsGateway } from '../storage/mail/messages.js'
import type { SmtpOptions } from '../storage/mail/smtp.js'
import { loadProviders } from '../storage/oidc/providers-file.js'
import { guardedClientDocuments } from '../storage/outgoing/fetch-client-document.js'
import { guardedPages } from '../storage/pages/guarded-pages.js'
import type { RecordStores, Records } from '../storage/records/records.js'
import { RedirectSnapshotWriter } from '../storage/redirect-snapshot/snapshot.js'
import { csvTable, piecesOf } from '../storage/tables/csv-table.js'
import type { Traces } from '../storage/traces/otlp-traces.js'
import { Journals, openJournal, openJournalCopy } from './journals.js'
import type { ScheduleDeps } from './open-backup-schedule.js'
import { type OpenedBulkJobs, openBulkJobs } from './open-bulk-jobs.js'
import { archiveOf, type ClickArchives, type OpenedPipeline, openJournalReports, openPipeline } from './open-clicks.js'
import { lostSecretsOf, openDatabase, openLists } from './open-database.js'
import { type OpenedImages, openImages, openQrImages } from './open-images.js'
import { RedirectProcesses } from './redirect-processes.js'
import { holdClickLog } from './stores/click-log-home.js'
import { type DomainConfig, nameBuiltInDomains, type OpenedDomains, openDomains } from './stores/open-domains.js'
import { type OpenedLimits, openLimits, openPlans, type PlanConfig, planOptions } from './stores/open-limits.js'
import { LiveClicks } from './threads/live-clicks.js'
import { WebhookThread, type WebhookThreadDeps } from './threads/webhook-thread.js'

export interface App
  extends RecordStores,
    OpenedDomains,
    OpenedLimits,
    OpenedPipeline,
    ClickArchives,
    OpenedImages,
    OpenedBulkJobs {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly newHash: DrawHash
  readonly records: Records
  readonly mail: Mail
  /** Undefined when the service cannot send SMS. */
  readonly sms: Sms | undefined
  readonly backgroundTasks: BackgroundTasks
  readonly identityProviders: readonly IdentityProvider[]
  /** Undefined when applications are not known by documents. */
  readonly clientDocuments: ClientDocuments | undefined
  readonly isSessionAlive: NonNullable<SessionDeps['isSessionAlive']>
  readonly idempotency: IdempotentRequests
  readonly qrImages: QrImages
  /** Draws pictures of other things than QR codes. */
  readonly pictures: { png(svg: string): Promise<Uint8Array> }
  readonly publicQrImages: PublicQrImages
  readonly readTable: ReadTable
  readonly tokens: TokenCheck
  readonly redirectCache: RedirectCache
  readonly journal: FileJournal
  /** With those of other processes. */
  readonly journals: Journals
  readonly redirectProcesses: RedirectProcesses
  readonly metrics: MetricsLog
  readonly clickLog: ClickQueries
  /** Undefined when the click log needs no lease: the database is not shared, or clicks are in ClickHouse. */
  readonly clickLogLease: HeldLease | undefined
  readonly journalReports: JournalReports | undefined
  readonly clockWatch: ClockWatch
  readonly imports: Imports
  readonly journalDeliveries: JournalDeliveries
  readonly live: LiveReaders
  readonly mobileAppTable: MobileAppTable
  readonly geography: Geography
  readonly pages: Pages
  readonly titles: Titles
  readonly webhookDeliveries: WebhookDeliveries
  readonly linkWords: LinkWordChoice
  readonly servers: Servers
  /** Durations of queries by store. */
  readonly storeTimes: Readonly<Record<Store, Histogram>>
  readonly diskUsage: DiskUsage
  /** Undefined without a collector. */
  readonly traces: Traces | undefined
  /** Undefined when the service makes no backups by itself. */
  readonly backupSchedule: BackupSchedule | undefined
  readonly probes: Probes
  /** What cannot be decrypted and must be repaired. */
  readonly lostSecrets: () => Promise<readonly LostRows[]>
  close(): Promise<void>
}

/** Stores whose queries are timed. */
type Store = 'records' | 'click log'

/** The servers of others that this service is configured with, by name. */
type Servers = Readonly<Record<string, Remote['server']>>

/** Parts that tests replace. */
export type Overrides = Partial<Pick<App, 'clock' | 'newHash' | 'pages'>> & {
  readonly certificateLookup?: CertificateLookup
  readonly documentSource?: DocumentSource
  readonly webhookTiming?: Partial<WebhookTiming>
}

export async function createApp(config: Config, log: Logger, overrides: Overrides = {}): Promise<App> {
  const closing = new Closing() // closes in reverse order: the pipeline drains before its stores close
  try {
    const pages = guardedPages({ home: config.baseUrl, allow: config.outgoingAllow })
    const given = { config, log, clock: systemClock, newHash: randomHash, pages, ...overrides }
    const plans = openPlans(config, log)
    const identityProviders = await openProviders(config)
    const storeTimes = { records: new Histogram(), 'click log': new Histogram() }
    const timing = (store: Store) => (milliseconds: number) => {
      storeTimes[store].observe(milliseconds)
      traces?.query(store, milliseconds)
    }
    const traces = await openTraces(config)
    if (traces) closing.add(traces)
    const onQuery = timing('records')
    const records = await openDatabase(config, log, { allowances: plans, onQuery }, closing)
    const clickLogLease = await holdClickLog(config, records, log)
    if (clickLogLease) closing.add(clickLogLease)
    // After all checks that can refuse the start: a process that does not stay must not rename a domain.
    await nameBuiltInDomains(config, records, log.child({ room: 'domains' }))
    const onFailure = (err: unknown) =>
      log.error({ err }, 'cannot refresh the short domains or their certificates; using the last known ones')
    let others: RedirectProcesses | undefined
    const onChange = () => others?.domainsChanged()
    const { domains, dns, certificates, resolver } = openDomains(config, { ...records, ...given, onFailure, onChange })
    await closing.add(domains).start()
    await closing.add(plans.attach(records.usage)).start()

    const tokens = closing.add(
      new TokenCheck({
        ...records,
        clock: given.clock,
        onFailure: (err) => log.error({ err }, 'cannot write the last use of tokens; trying again in a minute'),
      }),
    )
    const clickDeps = { ...records, tokens, clock: given.clock, onReport: timing('click log') }
    // Closed after the click thread, which delivers what is left.
    let journal: FileJournal
    const reportDeps = { ...clickDeps, journal: () => journal, journals: () => journals, pipeline: () => pipeline }
    const journalReports = openJournalReports(config, log, reportDeps)
    if (journalReports) closing.add(journalReports)
    // Closed after it, too: then it knows which files are delivered.
    const copy = openJournalCopy(config, log.child({ room: 'journal-copy' }), 1, config.processes)
    if (copy) closing.add(copy)
    const { stream, pipeline } = await openPipeline(config, log, clickDeps, closing)
    const liveDeps = { ...records, pipeline, clock: given.clock, log: log.child({ room: 'live' }) }
    const live = new LiveReaders(closing.add(new LiveClicks(liveDeps)))
    const lists = openLists(config, log, records, closing)
    const { delivered = 'unknown', wrote: onWrite } = pipeline
    journal = closing.add(openJournal(config, log, { delivered, onWrite, copy }))
    const redirectProcesses = closing.add(new RedirectProcesses(config, log.child({ room: 'processes' }), pipeline))
    others = redirectProcesses
    const journals = new Journals(journal, redirectProcesses.journals)
    await journalReports?.refresh()
    const clockWatch = closing.add(
      new ClockWatch((jump) => log.warn(jump, 'the clock was set; clicks and links keep the times they got before')),
    )
    const redirectCache = new RedirectCache({ ...records, clock: given.clock }, config.redirectCacheSize)
    if (config.databaseUrl !== undefined)
      closing.add(keepRedirectSnapshot(config, log, { ...records, ...given, redirectCache }))

    const onForget = () => redirectProcesses.mobileAppsChanged()
    const redirectRules = openRedirectRules(config, { ...records, clock: given.clock, onForget })
    const messages = await openMessages(config, log.child({ room: 'sign-in' }), closing)
    const limits = await openLimits(config, log.child({ room: 'limits' }), { ...records, ...given, plans }, closing)
    const images = openImages(config, log.child({ room: 'images' }), { ...records, clock: given.clock }, closing)
    const titles = openTitles(config, log, { ...records, ...given, ...images }, closing)
    const idempotency = closing.add(openIdempotency(log, { ...records, clock: given.clock }))
    const qrImages = openQrImages(config, log.child({ room: 'qr-images' }), closing)
    const imports = new Imports((file, tell) => pipeline.importClicks(file, config, tell))
    const deps = {
      ...messages,
      ...limits,
      ...redirectRules,
      ...lists,
      titles,
      ...images,
      domains,
      dns,
      certificates,
      resolver,
      tokens,
      redirectCache,
      imports,
      journalDeliveries: pipeline.deliveriesOf(config, config.missingAfter),
      idempotency,
      linkWords: linkWordChoice(config.linkWord, config.linkWordDefault === 'on'),
      readTable: (bytes: Uint8Array) => csvTable(piecesOf(bytes)),
      qrImages,
      pictures: qrImages,
    }
    const jobDeps = { ...records, ...given, ...deps, metrics: pipeline.metrics }
    const jobs = await openBulkJobs(config, log.child({ room: 'bulk' }), jobDeps, closing)
    const publicQrImages = new PublicQrImages({ ...records, ...given, ...deps })
    const webhooks = closing.add(
      openWebhooks(config, log.child({ room: 'webhooks' }), { ...records, ...given, ...deps, pipeline }, overrides),
    )
    await webhooks.start()
    closing.add(deleteOldDeliveries(log, { ...records, clock: given.clock }))
    closing.add(deleteOldHistory(config, log, { ...records, clock: given.clock }))
    const webhookDeliveries: WebhookDeliveries = {
      // Its thread reads what is committed.
      refresh: async () => records.afterCommit(() => webhooks.refresh()),
      ping: (webhook) => webhooks.ping(webhook),
      redeliver: () => webhooks.redeliver(),
    }
    const clicks = {
      journal,
      pipeline,
      metrics: pipeline.metrics,
      clickLog: pipeline.log,
      journals,
      redirectProcesses,
      ...archiveOf(pipeline, journals),
      stream,
      live,
      clickLogLease,
      journalReports,
      clockWatch,
    }
    const providerDeps = { ...records, ...given, tokens, identityProviders }
    const servers = serversOf({ ...deps, records })
    const backing = { ...records, ...given, ...clicks }
    const backupSchedule = await openBackups(config, log.child({ room: 'backups' }), backing, closing)
    const parts = {
      ...deps,
      ...clicks,
      ...jobs,
      identityProviders,
      clientDocuments: openClientDocuments(config, { ...records, ...given }),
      isSessionAlive: isSessionAlive.bind(undefined, providerDeps),
      publicQrImages,
      webhookDeliveries,
      servers,
      backupSchedule,
      storeTimes,
      diskUsage: diskUsageOf(config.dataDir),
      traces,
      probes: new Probes(),
      lostSecrets: lostSecretsOf(records),
    }
    return { ...records, records, ...given, ...parts, close: () => closing.close() }
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** Those that the main thread uses; the click thread reports about ClickHouse and nsqd. */
function serversOf(
  deps: { readonly records: Records } & Pick<App, 'limitServer' | 'mail' | 'sms' | 'blobs' | 'resolver'>,
): Servers {
  const parts = { redis: deps.limitServer, smtp: deps.mail, sms: deps.sms, s3: deps.blobs, dns: deps.resolver }
  const used = Object.entries(parts).flatMap(([name, part]) => (isRemote(part) ? [[name, part.server] as const] : []))
  const { server } = deps.records
  return Object.fromEntries(server ? [['postgresql', server], ...used] : used)
}

function isRemote(part: object | undefined): part is Remote {
  return part !== undefined && 'server' in part
}

/** The dependencies of administrative commands while the service is stopped. */
export function administrationDeps(config: DomainConfig & PlanConfig, records: Records): AdministrationDeps {
  const { usage } = records
  const onFailure = (error: unknown) => {
    throw error
  }
  const plans = new Plans({ ...planOptions(config), onFailure }).attach(usage)
  const opened = openDomains(config, { ...records, onFailure, clock: systemClock })
  return { ...records, clock: systemClock, plans, ...opened }
}

/** Mail and SMS. They are sent in the background, and the service waits for them when it closes. */
async function openMessages(config: Config, log: Logger, closing: Closing) {
  const { smtpUrl: url, smsGatewayUrl, smsGatewaySecret: secret } = config
  const from = config.mailFrom ?? `shortlink@${new URL(config.baseUrl).hostname}`
  const mail = url === undefined ? loggedMail(log) : closing.add(await openSmtp({ url, from }))
  const inDevelopment = process.env.NODE_ENV === 'production' ? undefined : loggedSms(log)
  const sms = smsGatewayUrl === undefined ? inDevelopment : smsGateway({ url: smsGatewayUrl, secret })
  const onFailure = (err: unknown) =>
    err instanceof OperatorError ? log.warn(err.message) : log.error({ err }, 'cannot send a message')
  const backgroundTasks = closing.add(new BackgroundTasks(onFailure))
  return { mail, sms, backgroundTasks }
}

async function openSmtp(options: SmtpOptions) {
  const { smtpMail } = await import('../storage/mail/smtp.js')
  return smtpMail(options)
}

function openIdempotency(log: Logger, deps: Pick<App, 'answers' | 'clock'>): IdempotentRequests {
  const onFailure = (err: unknown) => log.error({ err }, 'cannot delete old idempotency keys; trying again in an hour')
  const idempotency = new IdempotentRequests({ ...deps, onFailure })
  void idempotency.cleanUp.now()
  return idempotency
}

/** Loaded only where backups are configured: it needs DuckDB. */
async function openBackups(config: Config, log: Logger, deps: ScheduleDeps, closing: Closing) {
  const { backupTo } = config
  if (backupTo === undefined) return undefined
  const { openBackupSchedule } = await import('./open-backup-schedule.js')
  return openBackupSchedule({ ...config, backupTo }, log, deps, closing)
}

function openClientDocuments(
  { oauthClientDocuments }: Config,
  deps: Pick<App, 'accounts' | 'clock'> & Overrides,
): ClientDocuments | undefined {
  if (oauthClientDocuments === 'off') return undefined
  // Without `outgoingAllow`: that is for URLs of users, and strangers choose these.
  return new ClientDocuments({ ...deps, source: deps.documentSource ?? guardedClientDocuments() })
}

/** Its packages are loaded only with a provider, which the start does not wait for. */
async function openProviders(config: Config): Promise<readonly IdentityProvider[]> {
  const all = loadProviders(config)
  if (all.length === 0) return []
  const { openidProvider } = await import('../storage/oidc/openid-provider.js')
  return all.map((settings) => ({ settings, client: openidProvider(settings) }))
}

/** Their packages are loaded only with a collector. */
async function openTraces({ otlpUrl }: Config): Promise<Traces | undefined> {
  if (otlpUrl === undefined) return undefined
  const { otlpTraces } = await import('../storage/traces/otlp-traces.js')
  return otlpTraces(otlpUrl, version())
}

/** For a start while the database is unreachable (outage.ts). */
function keepRedirectSnapshot(
  { dataDir }: Config,
  log: Logger,
  deps: Pick<App, 'redirectCache' | 'domainStore' | 'clock'>,
): RedirectSnapshotWriter {
  const onFailure = (err: unknown) => log.warn({ err }, 'cannot write the redirect snapshot')
  return new RedirectSnapshotWriter({ ...deps, onFailure }, dataDir)
}

/** For links with deep links or routing rules. Checks the geography files; the first rule with a location loads them. */
function openRedirectRules(config: Config, deps: MobileAppTableDeps) {
  return { mobileAppTable: new MobileAppTable(deps), geography: openGeography(config.geography) }
}

function openWebhooks(
  { baseUrl, outgoingAllow, databaseUrl, dataDir, secretsKey }: Config,
  log: Logger,
  deps: Omit<WebhookThreadDeps, 'log'> & Pick<App, 'linkWords'>,
  { webhookTiming: timing }: Overrides,
): WebhookThread {
  const records = { databaseUrl, dataDir, secretsKey }
  return new WebhookThread({ baseUrl, linkWords: deps.linkWords, outgoingAllow, records, timing }, { ...deps, log })
}

function deleteOldDeliveries(log: Logger, deps: Pick<App, 'webhookStore' | 'clock'>): PeriodicTask {
  const onFailure = (err: unknown) =>
    log.error({ err }, 'cannot delete old deliveries of webhooks; trying again in an hour')
  const cleanUp = oldDeliveries({ ...deps, onFailure })
  void cleanUp.now()
  return cleanUp
}

function deleteOldHistory({ linkHistoryDays: days }: Config, log: Logger, deps: Pick<App, 'links' | 'clock'>) {
  const onFailure = (err: unknown) => log.error({ err }, 'cannot delete old history of links; trying again in an hour')
  const cleanUp = oldHistory({ ...deps, days, onFailure })
  void cleanUp.now()
  return cleanUp
}

/** Redirects do not need it, so the start does not wait for it. */
function openTitles(
  config: Config,
  log: Logger,
  deps: Pick<App, 'links' | 'siteIcons' | 'pages' | 'imageEncoder' | 'clock'>,
  closing: Closing,
): Titles {
  const onIconFailure = (err: unknown) => log.warn({ err }, 'cannot draw or write the icon of a site')
  const icons = closing.add(new SiteIcons({ ...deps, onFailure: onIconFailure }))
  const onFailure = (err: unknown) => log.error({ err }, 'cannot write a page title')
  return closing.add(new Titles({ ...deps, icons, onFailure }, { enabled: config.titles === 'on' }))
}
