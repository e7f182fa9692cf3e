import type { Cidr } from '../lib/cidr.js'

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
  /** Encrypts second factors in the records; undefined: in dataDir with SQLite, and nowhere with PostgreSQL. */
  readonly secretsKey: string | undefined
  /** ClickHouse's HTTP interface, with user, password and database; undefined: clicks are kept in dataDir. */
  readonly clickhouseUrl: string | undefined
  /** The cluster over which ClickHouse spreads and replicates; undefined: it is one server. */
  readonly clickhouseCluster: string | undefined
  readonly clickhouseInsertQuorum: number
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
  readonly redirectCacheSize: number
  /** Counts requests for several processes; undefined: each counts its own. */
  readonly redisUrl: string | undefined
  /** Where the stream in the process listens; undefined: there is none. */
  readonly nsqdPort: number | undefined
  readonly nsqdHost: string
  /** Where readers reach it, as a host with or without a port; undefined: the host of baseUrl. */
  readonly nsqdAddress: string | undefined
  /** PEM files; undefined: made by the service. */
  readonly nsqdCertificate: string | undefined
  readonly nsqdKey: string | undefined
  /** `optional` lets readers on this machine do without. */
  readonly nsqdTls: 'required' | 'optional'
  /** Real daemons that clicks are published to, as `host:port` and as origins; none of both: the stream is in the process. */
  readonly nsqdTcpAddresses: readonly string[]
  readonly nsqdHttpAddresses: readonly string[]
  /** Origins. */
  readonly nsqlookupdHttpAddresses: readonly string[]
  /** Ends the URL under which daemons ask who somebody is; undefined: only daemons on this machine may ask. */
  readonly nsqdAuthSecret: string | undefined
  readonly nsqdBacklog: number
  /** How often an account, and an address, may ask each endpoint in an hour; 0: as often as they like. */
  readonly apiRequestsPerHour: number
  readonly addressRequestsPerHour: number
  /** For single endpoints, instead of apiRequestsPerHour. */
  readonly endpointLimits: readonly EndpointLimit[]
  /** How many connections of one address may have an API request under way at once; 0: as many as they like. */
  readonly apiConnections: number
  /** For single networks, instead of apiConnections; the first that an address is in counts. */
  readonly networkConnections: readonly NetworkLimit[]
  /** How many milliseconds a request waits for a connection less before it is refused. */
  readonly apiConnectionWait: number
  /** A JSON file with plans; undefined: there is only the built-in one. */
  readonly plans: string | undefined
  readonly defaultPlan: string
  /** Where mail is handed over; undefined: messages are logged. */
  readonly smtpUrl: string | undefined
  readonly mailFrom: string | undefined
  /** Takes SMS by HTTP; undefined: none are sent. */
  readonly smsGatewayUrl: string | undefined
  readonly smsGatewaySecret: string | undefined
  /** Opens the details of /readyz and /metrics to other machines; undefined: they are for this machine alone. */
  readonly opsToken: string | undefined
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'json' | 'pretty'
  readonly adminLogin: string | undefined
  readonly adminPassword: string | undefined
  readonly adminToken: string | undefined
}

export interface EndpointLimit {
  /** `POST /v4/shorten` */
  readonly endpoint: string
  readonly perHour: number
}

export interface NetworkLimit {
  readonly network: Cidr
  readonly most: number
}

/** Everything that can be configured; the other fields follow from these. */
export type OptionName = Exclude<keyof Config, 'anyHost'>
