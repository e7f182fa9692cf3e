/**
 * The composition root: creates and connects the parts of the service from its configuration. Only this file picks
 * implementations; the click thread has its own composition root, worker/click-worker.ts.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { holdClickLog } from './click-log-home.js'
import type { Config } from './config/config.js'
import { TokenCheck } from './core/accounts/authenticate.js'
import type { AdministrationDeps } from './core/administration/operations.js'
import type { JobFiles } from './core/bulk/jobs.js'
import { type RowActionDeps, rowActions } from './core/bulk/row-actions.js'
import { BulkJobRunner } from './core/bulk/run-jobs.js'
import type { ReadTable } from './core/bulk/table-rows.js'
import type { ClickArchive } from './core/clicks/click-archive.js'
import type { ClickEraser } from './core/clicks/click-eraser.js'
import { Imports } from './core/clicks/imports.js'
import type { HeldLease } from './core/clicks/lease.js'
import type { Geography } from './core/clicks/locate.js'
import type { MetricsLog } from './core/clicks/metrics-query.js'
import { SharedSalts } from './core/clicks/shared-salts.js'
import { CertificateCheck, type CertificateLookup } from './core/domains/certificate-check.js'
import { DnsCheck } from './core/domains/dns-check.js'
import { Domains, type DomainsDeps } from './core/domains/domains.js'
import { explainConflict, reconcileBuiltIn } from './core/domains/reconcile-built-in.js'
import { IdempotentRequests } from './core/idempotency/idempotent-requests.js'
import type { Blobs } from './core/images/blobs.js'
import type { ImageEncoder } from './core/images/image-encoder.js'
import { Logos } from './core/images/logos.js'
import { UnusedBlobs } from './core/images/unused-blobs.js'
import { ApiRequests } from './core/limits/api-requests.js'
import { Connections } from './core/limits/connections.js'
import { Plans } from './core/limits/plans.js'
import { type Counters, MemoryCounters, PlatformLimits } from './core/limits/platform.js'
import { RedirectCache } from './core/links/redirect-cache.js'
import { LiveReaders } from './core/live/live-readers.js'
import { MobileAppTable } from './core/mobile-apps/mobile-app-table.js'
import { PublicQrImages } from './core/qr-codes/public-images.js'
import type { QrImages } from './core/qr-design/qr-images.js'
import type { Mail, Sms } from './core/sign-in/messages.js'
import type { Batch } from './core/stream/messages.js'
import type { Stream } from './core/stream/stream.js'
import { type Pages, Titles } from './core/titles/titles.js'
import { type DrawHash, randomHash } from './core/values/random.js'
import { Refusal } from './core/values/refusal.js'
import { type Clock, systemClock } from './core/values/time.js'
import { EventPublisher } from './core/webhooks/publish-events.js'
import type { WebhookTiming } from './core/webhooks/webhook-queue.js'
import { tagsOfLinks, type WebhookDeliveries } from './core/webhooks/webhooks.js'
import { answerV4 } from './edges/v4/errors.js'
import { BackgroundTasks } from './lib/background-tasks.js'
import { Closing } from './lib/closing.js'
import { OperatorError } from './lib/operator-error.js'
import { openBlobs } from './open-blobs.js'
import { openRecords } from './open-records.js'
import { nodeDns } from './storage/dns/node-dns.js'
import { openGeography } from './storage/geography/mmdb.js'
import { FileJournal } from './storage/journal/journal.js'
import { loggedMail, loggedSms, smsGateway, smtpMail } from './storage/mail/messages.js'
import { nsqdCluster } from './storage/nsqd/cluster.js'
import { openNsqdPublisher, usesRealNsqd } from './storage/nsqd/open-publisher.js'
import { tlsCertificates } from './storage/outgoing/tls-certificates.js'
import { guardedPages } from './storage/pages/guarded-pages.js'
import { loadPlans } from './storage/plans/plans-file.js'
import { PictureCache } from './storage/qr-images/picture-cache.js'
import { RenderedQrImages } from './storage/qr-images/qr-images.js'
import { RedirectSnapshotWriter } from './storage/redirect-snapshot/snapshot.js'
import { RedisCounters } from './storage/redis/redis-counters.js'
import type { RecordStores, Records, RecordsOptions } from './storage/sql/records.js'
import { csvTable, piecesOf } from './storage/tables/csv-table.js'
import { blobJobFiles } from './storage/tables/job-files.js'
import type { ClickStreamOptions } from './worker/click-stream.js'
import { type ClickThread, startClickThread } from './worker/click-thread.js'
import { newSalt } from './worker/daily-salts.js'
import { openEmbeddedStream } from './worker/embedded-stream.js'
import { HeldTopics, heldFor } from './worker/held-topics.js'
import { ImageProcesses } from './worker/image-processes.js'
import { type ListReads, ListThread } from './worker/list-thread.js'
import { LiveThread } from './worker/live-thread.js'
import { OutgoingEvents } from './worker/outgoing-events.js'
import { QrImageThread } from './worker/qr-image-thread.js'
import { holderAt, sharedCursor } from './worker/stream-links.js'
import type { StreamThread } from './worker/stream-thread.js'
import { WebhookThread, type WebhookThreadDeps } from './worker/webhook-thread.js'
import type { Warn } from './worker/worker-supervisor.js'

export interface App extends RecordStores {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly newHash: DrawHash
  readonly records: Records
  readonly mail: Mail
  /** Undefined when the service cannot send SMS. */
  readonly sms: Sms | undefined
  readonly backgroundTasks: BackgroundTasks
  readonly plans: Plans
  readonly platformLimits: PlatformLimits
  readonly apiRequests: ApiRequests
  readonly idempotency: IdempotentRequests
  readonly connections: Connections
  readonly domains: Domains
  readonly qrImages: QrImages
  readonly publicQrImages: PublicQrImages
  readonly readTable: ReadTable
  readonly jobFiles: JobFiles
  readonly jobAdded: () => void
  readonly dns: DnsCheck
  readonly certificates: CertificateCheck
  readonly tokens: TokenCheck
  readonly redirectCache: RedirectCache
  readonly journal: FileJournal
  readonly pipeline: ClickThread
  readonly metrics: MetricsLog
  /** Undefined when the click log needs no lease: the database is not shared, or clicks are in ClickHouse. */
  readonly clickLogLease: HeldLease | undefined
  readonly clickArchive: ClickArchive
  readonly clickEraser: ClickEraser
  readonly imports: Imports
  readonly stream: Stream
  readonly live: LiveReaders
  readonly mobileAppTable: MobileAppTable
  /** The bytes of images. */
  readonly blobs: Blobs
  readonly unusedBlobs: UnusedBlobs
  readonly imageEncoder: ImageEncoder
  readonly logos: Logos
  readonly geography: Geography
  readonly pages: Pages
  readonly titles: Titles
  readonly webhookDeliveries: WebhookDeliveries
  close(): Promise<void>
}

/** Parts that tests replace. */
export type Overrides = Partial<Pick<App, 'clock' | 'newHash' | 'pages'>> & {
  readonly certificateLookup?: CertificateLookup
  readonly webhookTiming?: Partial<WebhookTiming>
}

export async function createApp(config: Config, log: Logger, overrides: Overrides = {}): Promise<App> {
  const closing = new Closing() // closes in reverse order: the pipeline drains before its stores close
  try {
    const pages = guardedPages({ home: config.baseUrl, allow: config.outgoingAllow })
    const given = { config, log, clock: systemClock, newHash: randomHash, pages, ...overrides }
    const plans = openPlans(config, log)
    const records = closing.add(await openRecords(config, { allowances: plans, ...recordEvents(log) }))
    await requireSchema(config, records, log)
    const clickLogLease = await holdClickLog(config, records, log)
    if (clickLogLease) closing.add(clickLogLease)
    // After all checks that can refuse the start: a process that does not stay must not rename a domain.
    await nameBuiltInDomains(config, records, log.child({ room: 'domains' }))
    const onFailure = (err: unknown) =>
      log.error({ err }, 'cannot refresh the short domains; using the last known ones')
    const { domains, dns, certificates } = openDomains(config, { ...records, ...given, onFailure })
    await closing.add(domains).start()
    await closing.add(plans.attach(records.usage)).start()

    const tokens = closing.add(
      new TokenCheck({
        ...records,
        clock: given.clock,
        onFailure: (err) => log.error({ err }, 'cannot write the last use of tokens; trying again in a minute'),
      }),
    )
    const { stream, pipeline } = await openPipeline(config, log, { ...records, tokens, clock: given.clock }, closing)
    const live = new LiveReaders(closing.add(new LiveThread(stream, log.child({ room: 'live' }))))
    const lists = openLists(config, log, records, closing)
    const journal = closing.add(openJournal(config, log, pipeline.delivered))
    const redirectCache = new RedirectCache({ ...records, clock: given.clock }, config.redirectCacheSize)
    if (config.databaseUrl !== undefined)
      closing.add(keepRedirectSnapshot(config, log, { ...records, ...given, redirectCache }))

    const redirectRules = openRedirectRules(config, { ...records, clock: given.clock })
    const messages = openMessages(config, log.child({ room: 'sign-in' }), closing)
    const limits = await openLimits(config, log.child({ room: 'limits' }), { ...records, ...given, plans }, closing)
    const titles = closing.add(openTitles(config, log, { ...records, pages: given.pages }))

    const images = openImages(config, log.child({ room: 'images' }), { ...records, clock: given.clock }, closing)
    const idempotency = closing.add(openIdempotency(log, { ...records, clock: given.clock }))
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
      tokens,
      redirectCache,
      imports,
      idempotency,
      readTable: (bytes: Uint8Array) => csvTable(piecesOf(bytes)),
      qrImages: openQrImages(config, log.child({ room: 'qr-images' }), closing),
    }
    const jobs = await openBulkJobs(config, log.child({ room: 'bulk' }), { ...records, ...given, ...deps }, closing)
    const publicQrImages = new PublicQrImages({ ...records, ...given, ...deps })
    const webhooks = closing.add(
      openWebhooks(config, log.child({ room: 'webhooks' }), { ...records, ...given, ...deps, stream }, overrides),
    )
    await webhooks.start()
    const webhookDeliveries: WebhookDeliveries = {
      // Its thread reads what is committed.
      refresh: async () => records.afterCommit(() => webhooks.refresh()),
      ping: (webhook) => webhooks.ping(webhook),
      redeliver: () => webhooks.redeliver(),
    }
    const clicks = {
      journal,
      pipeline,
      metrics: pipeline,
      ...archiveOf(pipeline, journal),
      stream,
      live,
      clickLogLease,
    }
    const parts = { ...deps, ...clicks, ...jobs, publicQrImages, webhookDeliveries }
    return { ...records, records, ...given, ...parts, close: () => closing.close() }
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** Less than a command waits for an answer. */
const maxCounting = 20_000

/** What commands do with clicks. Those that were answered before are counted first. */
function archiveOf(pipeline: ClickThread, journal: FileJournal): Pick<App, 'clickArchive' | 'clickEraser'> {
  const counted = countedBy(pipeline, journal)
  return {
    clickArchive: {
      quarters: async (which) => counted().then(() => pipeline.quarters(which)),
      writeClicks: pipeline.writeClicks,
    },
    clickEraser: {
      forgetClicks: async (which, options) => counted().then(() => pipeline.forgetClicks(which, options)),
    },
  }
}

/** Resolves when the clicks that are in the journal now are in the click log. */
function countedBy(pipeline: ClickThread, journal: FileJournal): () => Promise<void> {
  return async () => {
    const timeout = new AbortController()
    const late = wait(maxCounting, 'late', { signal: timeout.signal }).catch(() => undefined)
    const counted = await Promise.race([pipeline.drained(journal.status().lastRow), late])
    timeout.abort()
    if (counted !== 'late') return
    const message = 'The service is still counting clicks of the journal. Try again when /readyz shows no backlog.'
    throw new Refusal('TEMPORARILY_UNAVAILABLE', message)
  }
}

/** Files with many rows, and what works on them while the service runs. */
async function openBulkJobs(
  config: Config,
  log: Logger,
  deps: Omit<RowActionDeps, 'describe'> &
    Pick<App, 'bulkJobs' | 'accounts' | 'images' | 'blobs' | 'unusedBlobs' | 'clock'>,
  closing: Closing,
): Promise<Pick<App, 'jobFiles' | 'jobAdded'>> {
  const jobFiles = blobJobFiles(deps)
  const describe = (refusal: Refusal) => {
    const { message, description } = answerV4(refusal, '/v4/shorten').body
    return `${message}: ${description}`
  }
  // With SQLite there is one process: nobody else can be working on a job.
  if (config.databaseUrl === undefined) await deps.bulkJobs.releaseAll()
  const runner = closing.add(
    new BulkJobRunner({
      ...deps,
      jobFiles,
      actions: rowActions({ ...deps, describe }),
      holder: `${hostname()}-${process.pid}-${randomUUID()}`,
      onFailure: (err, job) =>
        log.error({ err, job }, 'a job on a file was interrupted; it is tried again in some seconds'),
    }),
  )
  runner.start()
  return { jobFiles, jobAdded: () => runner.wake() }
}

/** Our choice: some ten thousand pictures. */
const mostCachedBytes = 256 * 2 ** 20

function openQrImages({ dataDir }: Config, log: Logger, closing: Closing): QrImages {
  return new RenderedQrImages({
    renderer: closing.add(new QrImageThread(log)),
    cache: new PictureCache(join(dataDir, 'qr-images'), mostCachedBytes),
    onFailure: (err) => log.warn({ err }, 'cannot cache a picture of a QR code; it is drawn again when asked for'),
  })
}

/** With SQLite, lists are read in a thread of their own: a synchronous scan of many rows would block the event loop. */
function openLists(config: Config, log: Logger, records: Records, closing: Closing): Pick<App, keyof ListReads> {
  if (config.databaseUrl !== undefined) return records
  const thread = closing.add(new ListThread(config, log.child({ room: 'lists' })))
  return {
    links: { ...records.links, ...thread.readsOf('links') },
    qrCodes: { ...records.qrCodes, ...thread.readsOf('qrCodes') },
    campaigns: { ...records.campaigns, ...thread.readsOf('campaigns') },
    usage: { ...records.usage, ...thread.readsOf('usage') },
    audit: { ...records.audit, ...thread.readsOf('audit') },
  }
}

function recordEvents(log: Logger): Pick<RecordsOptions, 'onAvailability' | 'onDeaf'> {
  return {
    onAvailability: (failure) =>
      failure === undefined
        ? log.warn('the database is reachable again')
        : log.error({ failure }, 'cannot reach the database; serving cached redirects, refusing all other requests'),
    onDeaf: () =>
      log.warn(
        'PostgreSQL notifications do not arrive, so changes by other processes take effect up to a minute late; ' +
          'connect to the server directly, or use a connection pooler in session mode',
      ),
  }
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

type PlanConfig = Pick<Config, 'plans' | 'defaultPlan'>

function planOptions(config: PlanConfig) {
  return { plans: loadPlans(config), defaultPlan: config.defaultPlan }
}

function openPlans(config: PlanConfig, log: Logger): Plans {
  const onFailure = (err: unknown) =>
    log.error({ err }, 'cannot refresh the plans of organizations; using the last known ones')
  return new Plans({ ...planOptions(config), onFailure })
}

/** The limits that every API request passes. Counted requests are written before the records close. */
async function openLimits(
  config: Config,
  log: Logger,
  deps: Pick<App, 'clock' | 'usage' | 'plans'>,
  closing: Closing,
): Promise<Pick<App, 'plans' | 'platformLimits' | 'apiRequests' | 'connections'>> {
  const { apiRequestsPerHour: perAccount, addressRequestsPerHour: perAddress, endpointLimits: endpoints } = config
  const counters = closing.add(await openCounters(config, log))
  const onFailure = (err: unknown) => log.error({ err }, 'cannot write the counts of API requests')
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
        ? log.warn('Redis is reachable again; rate limits apply again')
        : log.error({ failure }, 'cannot reach Redis; serving requests without rate limits'),
  })
  await counters.connected()
  return counters
}

type DomainConfig = Pick<Config, 'domains' | 'baseUrl' | 'dnsServers' | 'dnsTargets' | 'outgoingAllow'>

function openDomains(
  config: DomainConfig,
  deps: DomainsDeps & { readonly clock: Clock; readonly certificateLookup?: CertificateLookup },
): Pick<App, 'domains' | 'dns' | 'certificates'> {
  const { baseUrl, domains: builtIn, dnsServers: servers, dnsTargets, outgoingAllow: allow } = config
  const dnsLookup = nodeDns({ servers })
  const certificateLookup = deps.certificateLookup ?? tlsCertificates({ dnsLookup, allow })
  return {
    domains: new Domains(deps, { builtIn, baseUrl }),
    dns: new DnsCheck({ dnsLookup, clock: deps.clock }, dnsTargets),
    certificates: new CertificateCheck({ certificateLookup, clock: deps.clock }),
  }
}

/** Mail and SMS. They are sent in the background, and the service waits for them when it closes. */
function openMessages(config: Config, log: Logger, closing: Closing) {
  const { smtpUrl: url, smsGatewayUrl, smsGatewaySecret: secret } = config
  const from = config.mailFrom ?? `shortlink@${new URL(config.baseUrl).hostname}`
  const mail = url === undefined ? loggedMail(log) : closing.add(smtpMail({ url, from }))
  const inDevelopment = process.env.NODE_ENV === 'production' ? undefined : loggedSms(log)
  const sms = smsGatewayUrl === undefined ? inDevelopment : smsGateway({ url: smsGatewayUrl, secret })
  const onFailure = (err: unknown) => log.error({ err }, 'cannot send a message')
  const backgroundTasks = closing.add(new BackgroundTasks(onFailure))
  return { mail, sms, backgroundTasks }
}

/** The click thread and the stream. The stream closes after the click thread, which still publishes to it. */
async function openPipeline(
  config: Config,
  log: Logger,
  deps: Pick<App, 'streamStore' | 'webhookStore' | 'groups' | 'tokens' | 'clock'> & Pick<Records, 'clickStore'>,
  closing: Closing,
): Promise<Pick<App, 'stream' | 'pipeline'>> {
  const streaming = log.child({ room: 'stream' })
  // Processes with a shared database must hash visitors with the same salts.
  const onFailure = (err: unknown) => log.warn({ err }, 'cannot refresh the visitor salts; using the last known ones')
  const salts =
    config.databaseUrl === undefined
      ? undefined
      : closing.add(await SharedSalts.open({ ...deps, draw: newSalt, onFailure }))
  const { databaseUrl, dataDir, secretsKey } = config
  const records = { databaseUrl, dataDir, secretsKey }
  let publishing: ClickThread | undefined
  // May fail while the click thread restarts. It reads the stream access itself, at the latest some seconds later.
  const late = (err: unknown) => streaming.warn({ err }, 'a change of stream access takes effect some seconds later')
  // Processes that share daemons publish what readers of any of them hold.
  const isShared = usesRealNsqd(config) && config.databaseUrl !== undefined
  const held = closing.add(
    new HeldTopics(async (topics) => {
      const now = deps.clock.now()
      if (isShared) await deps.streamStore.holdTopics(topics, now + heldFor, now).catch(late)
      await publishing?.refreshStream(topics).catch(late)
    }),
  )
  const startPipeline = async (stream?: ClickStreamOptions, thread?: StreamThread) => {
    publishing = await startClickThread({ ...config, stream }, log.child({ room: 'pipeline' }), thread, salts)
    return closing.add(publishing)
  }

  if (usesRealNsqd(config)) {
    const { nsqdTcpAddresses, nsqdHttpAddresses, nsqlookupdHttpAddresses, nsqdAuthSecret, nsqdBacklog } = config
    const addresses = { nsqdTcpAddresses, nsqdHttpAddresses, nsqlookupdHttpAddresses, nsqdAuthSecret }
    const pipeline = await startPipeline({ records, daemons: { dataDir, ...addresses, nsqdBacklog } })
    const onFailure = (address: string, reason: string) =>
      streaming.warn({ address, reason }, 'an nsqd daemon does not answer')
    const warn: Warn = (fields, message) => streaming.warn(fields, message)
    const publisher = closing.add(openNsqdPublisher({ dataDir, ...addresses, nsqdBacklog }, deps.clock, warn))
    const ours = {
      accessChanged: () => held.refresh(),
      hold: (topic: string) => held.hold(topic),
      send: (batches: readonly Batch[]) => publisher.send(batches),
    }
    return { pipeline, stream: { ...nsqdCluster(addresses, { onFailure }), ...ours } }
  }

  const stream = closing.add(await openEmbeddedStream(config, { ...deps, log: streaming, held }))
  const published = { records, daemons: undefined }
  // Webhooks read it from where they stopped, so it must have all clicks that are in the journal.
  const isNeeded = config.nsqdPort !== undefined || (await deps.webhookStore.wanted()).length > 0
  const thread = isNeeded ? await stream.start() : undefined
  const pipeline = thread ? await startPipeline(published, thread) : await startPipeline()
  // May fail while the click thread restarts; the next one publishes from the start.
  stream.onLateStart((late) =>
    pipeline
      .openStream(published, late)
      .catch((err) => streaming.warn({ err }, 'the stream gets clicks when the click thread is running again')),
  )
  return { pipeline, stream }
}

function openIdempotency(log: Logger, deps: Pick<App, 'answers' | 'clock'>): IdempotentRequests {
  const onFailure = (err: unknown) => log.error({ err }, 'cannot delete old idempotency keys; trying again in an hour')
  const idempotency = new IdempotentRequests({ ...deps, onFailure })
  idempotency.start()
  return idempotency
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
function openRedirectRules(config: Config, deps: Pick<App, 'mobileApps' | 'clock'>) {
  return { mobileAppTable: new MobileAppTable(deps), geography: openGeography(config.geography) }
}

/** Where images are kept, and what decodes them. Blobs that an interrupted upload or removal left are deleted now. */
function openImages(
  config: Config,
  log: Logger,
  deps: Pick<Records, 'images'> & Pick<App, 'clock'>,
  closing: Closing,
): Pick<App, 'blobs' | 'unusedBlobs' | 'imageEncoder' | 'logos'> {
  const blobs = openBlobs(config, (err) => log.error({ err }, 'images cannot be stored: check s3Url'))
  const onFailure = (err: unknown) => log.warn({ err }, 'unused images could not be deleted; tried again later')
  const unusedBlobs = new UnusedBlobs({ ...deps, blobs, onFailure })
  void unusedBlobs.deleteDue()
  const imageEncoder = closing.add(new ImageProcesses(log))
  return { blobs, unusedBlobs, imageEncoder, logos: new Logos({ blobs, imageEncoder }) }
}

function openWebhooks(
  { baseUrl, outgoingAllow, databaseUrl, dataDir }: Config,
  log: Logger,
  deps: Omit<WebhookThreadDeps, 'log' | 'tagsOf' | 'outgoingEvents'> & Pick<App, 'links' | 'domains' | 'streamStore'>,
  { webhookTiming: timing }: Overrides,
): WebhookThread {
  const tagsOf = (links: readonly string[]) => tagsOfLinks(deps, links)
  const options = { baseUrl, outgoingAllow, isShared: databaseUrl !== undefined, timing }
  const cursor = sharedCursor(deps.streamStore, holderAt(dataDir), deps.clock, 'webhook events')
  const publisher = new EventPublisher({ ...deps, cursor, send: (batches) => deps.stream.send(batches) })
  const outgoingEvents = new OutgoingEvents(publisher, log)
  return new WebhookThread(options, { ...deps, tagsOf, log, outgoingEvents })
}

/** Redirects do not need it, so the start does not wait for it. */
function openTitles(config: Config, log: Logger, deps: Pick<Records, 'links'> & Pick<App, 'pages'>): Titles {
  const onFailure = (err: unknown) => log.error({ err }, 'cannot write a page title')
  return new Titles({ ...deps, onFailure }, { enabled: config.titles === 'on' })
}

/** SQLite is migrated at the start. PostgreSQL may be shared, so its operator decides when to migrate. */
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

/** Applies the configured names to the built-in domains; their links are kept. */
async function nameBuiltInDomains({ domains }: Config, { domainStore }: Records, log: Logger): Promise<void> {
  const result = await reconcileBuiltIn(domainStore, domains)
  if (result.outcome !== 'reconciled') throw new OperatorError(explainConflict(result, domains))
  for (const change of result.renamed) {
    log.info(change, 'renamed a built-in domain; its links and metrics are kept, and the old name still works')
  }
  if (result.notConfigured.length > 0) {
    log.warn(
      { domains: result.notConfigured },
      'there are links on domains that are not configured; they are served under these names only. ' +
        'Add them to --domains, or rename them with "bin/shortlink domain rename OLD NEW"',
    )
  }
}

function openJournal(config: Config, log: Logger, delivered: number | undefined): FileJournal {
  return new FileJournal(join(config.dataDir, 'journal'), {
    durability: config.durability,
    delivered: delivered ?? 'unknown',
    onChange: (failure) =>
      failure === undefined
        ? log.warn('the click journal is writable again')
        : log.error({ failure }, 'cannot write the click journal; redirects continue, their clicks are lost'),
  })
}
