/** What the running service was told, after flags, environment, file and defaults were laid over each other. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Where the API is reached from outside, without a trailing slash. */
  readonly baseUrl: string
  /** Built-in short domains, lower case, with a port where it is not the scheme's own; the first is the default. */
  readonly domains: readonly [string, ...string[]]
  /** Addresses and names that branded domains must lead to; empty: their DNS is not checked. */
  readonly dnsTargets: readonly string[]
  /** Resolvers to ask, as `address` or `address:port`; the system's when empty. */
  readonly dnsServers: readonly string[]
  /** No domains were configured: any Host counts as the built-in domain. */
  readonly anyHost: boolean
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** How many proxies stand in front and append to X-Forwarded-For; 0 means the header is not believed. */
  readonly trustProxy: number
  readonly durability: 'normal' | 'full'
  /** After how many days single clicks are dropped and only totals kept; undefined: never. */
  readonly clickRetention: number | undefined
  /** mmdb files with city data; the bundled ones when empty. */
  readonly geography: readonly string[]
  /** Whether the titles of destinations are fetched for links made without one. */
  readonly titles: 'on' | 'off'
  /** How many addresses the redirect path keeps in memory. */
  readonly targets: number
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'json' | 'pretty'
  readonly adminLogin: string | undefined
  readonly adminPassword: string | undefined
  readonly adminToken: string | undefined
}

/** Everything that can be configured; the other fields follow from these. */
export type OptionName = Exclude<keyof Config, 'anyHost'>
