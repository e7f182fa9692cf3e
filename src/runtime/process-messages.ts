/** What the main process and a process for redirects say to each other. Sockets go beside it: `listen` and `connection`. */
import type { Config } from '../config/config.js'
import type { JournalStatus } from '../core/clicks/journal.js'
import type { Histogram } from '../edges/http/figures.js'
import type { RedirectCounts } from '../edges/redirect/handler.js'
import type { HostOwner } from './threads/host-messages.js'

const configured = [
  ...(['dataDir', 'databaseUrl', 'secretsKey', 'durability', 'journalCopy', 'redirectCacheSize', 'geography'] as const),
  ...(['baseUrl', 'anyHost', 'domains', 'domainAliases', 'trustProxy', 'accessLog', 'accessLogIp'] as const),
] as const

export type ProcessConfig = Pick<Config, (typeof configured)[number]>

/** The configuration has secrets that such a process does not need. */
export function processConfig(config: Config): ProcessConfig {
  return Object.fromEntries(configured.map((name) => [name, config[name]])) as unknown as ProcessConfig
}

export interface ProcessData {
  readonly config: ProcessConfig
  readonly number: number
}

/** Since the process started. */
export interface ProcessStatus {
  readonly journal: JournalStatus
  readonly counts: Readonly<RedirectCounts>
  readonly times: Pick<Histogram, 'counts' | 'sum'>
}

/** What the main process calls. The listening socket follows when it has begun. */
export interface RedirectProcessMethods {
  begin(data: ProcessData): Promise<ProcessStatus>
  status(): ProcessStatus
  rotate(): void
  domainsChanged(): Promise<void>
  mobileAppsChanged(): void
  /** Stops to accept, answers what was begun for at most this long, and closes the journal. `grace`: as `FastPath.close`. */
  close(timeLimit: number, grace: number): Promise<ProcessStatus>
}

/** What this process calls. */
export interface ProcessOwner extends Pick<HostOwner, 'log'> {
  /** Some times a second while rows are written. `busy`: how busy the process is, in percent. */
  wrote(busy: number, status: ProcessStatus): void
}
