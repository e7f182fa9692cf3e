import type { Cidr } from '../lib/cidr.js'

/** The effective configuration, merged from flags, environment, file and defaults. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Public base URL of the API, without a trailing slash. */
  readonly baseUrl: string
  /**
   * Built-in short domains in lower case, with a port unless it is the scheme's default; the first is the default
   * domain.
   */
  readonly domains: readonly [string, ...string[]]
  /** Names that clients send for the default domain, in lower case. */
  readonly domainAliases: readonly string[]
  /** IPs and host names that branded domains must resolve to; empty: no DNS check. */
  readonly dnsTargets: readonly string[]
  /** DNS resolvers as `ip` or `ip:port`; empty: those of the system. */
  readonly dnsServers: readonly string[]
  /** No domains are configured: any Host header counts as the built-in domain. */
  readonly anyHost: boolean
  /** Processes that answer redirects, with the main one. */
  readonly processes: number
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /**
   * Encrypts two-factor secrets in the database; undefined: a key file in dataDir with SQLite, no encryption with
   * PostgreSQL.
   */
  readonly secretsKey: string | undefined
  /** ClickHouse's HTTP interface, with user, password and database; undefined: DuckDB in dataDir. */
  readonly clickhouseUrl: string | undefined
  /** ClickHouse cluster for replicated and distributed tables; undefined: a single server. */
  readonly clickhouseCluster: string | undefined
  readonly clickhouseInsertQuorum: number
  /** Seconds until the other processes tell of one that does not come back. */
  readonly missingAfter: number
  readonly journalCopy: string | undefined
  /** Number of trusted proxies that append to X-Forwarded-For; 0 ignores the header. */
  readonly trustProxy: number
  readonly durability: 'normal' | 'full'
  /** Days until single clicks are dropped and only totals are kept; undefined: never. */
  readonly clickRetention: number | undefined
  /** Days until changes are dropped from the history of links. */
  readonly linkHistoryDays: number
  /** Megabytes that DuckDB may use. */
  readonly memoryLimit: number
  /** mmdb files with city data; empty: the bundled files. */
  readonly geography: readonly string[]
  /** Fetches the title of the destination for links created without one. */
  readonly titles: 'on' | 'off'
  /** Networks that the service may connect to for its users although they are not public, in CIDR notation. */
  readonly outgoingAllow: readonly string[]
  /** Maximum number of redirect cache entries. */
  readonly redirectCacheSize: number
  /** S3-compatible store for images, with keys, bucket and region; undefined: files in dataDir. */
  readonly s3Url: string | undefined
  /** Redis for shared rate-limit counters; undefined: each process counts alone. */
  readonly redisUrl: string | undefined
  /** Port of the embedded stream server; undefined: no embedded stream. */
  readonly nsqdPort: number | undefined
  readonly nsqdHost: string
  /** Public address of the stream as `host` or `host:port`; undefined: the host of baseUrl. */
  readonly nsqdAddress: string | undefined
  /** PEM files; undefined: the service creates a certificate. */
  readonly nsqdCertificate: string | undefined
  readonly nsqdKey: string | undefined
  /** `optional` lets readers on this machine connect without TLS. */
  readonly nsqdTls: 'required' | 'optional'
  /** External nsqd daemons, as `host:port` and as origins; both empty: the stream is embedded. */
  readonly nsqdTcpAddresses: readonly string[]
  readonly nsqdHttpAddresses: readonly string[]
  /** Origins. */
  readonly nsqlookupdHttpAddresses: readonly string[]
  /** Last part of the URL of the auth endpoint for external daemons; undefined: only daemons on this machine may ask. */
  readonly nsqdAuthSecret: string | undefined
  readonly nsqdBacklog: number
  /** Requests per hour and endpoint, for an account and for an IP; 0: no limit. */
  readonly apiRequestsPerHour: number
  readonly addressRequestsPerHour: number
  /** Overrides apiRequestsPerHour for single endpoints. */
  readonly endpointLimits: readonly EndpointLimit[]
  /** Concurrent API connections per IP; 0: no limit. */
  readonly apiConnections: number
  /** Overrides apiConnections for networks; the first match counts. */
  readonly networkConnections: readonly NetworkLimit[]
  /** Milliseconds a request waits for a free connection before it is refused. */
  readonly apiConnectionWait: number
  /** Origins whose pages may call v4 from a browser; `*`: all. Empty: none. */
  readonly corsOrigins: readonly string[]
  /** Other words for short links that the API understands, such as `bitlink` or `bitlink:bitly`. Empty: none. */
  readonly linkWord: readonly string[]
  /** Requests that show no word are answered in the first of them. */
  readonly linkWordDefault: 'on' | 'off'
  /** JSON file with plans; undefined: only the built-in plan. */
  readonly plans: string | undefined
  readonly defaultPlan: string
  /** SMTP server; undefined: messages are logged. */
  readonly smtpUrl: string | undefined
  readonly mailFrom: string | undefined
  /** HTTP gateway for SMS; undefined: no SMS. */
  readonly smsGatewayUrl: string | undefined
  readonly smsGatewaySecret: string | undefined
  /** Applications may register themselves. */
  readonly oauthRegistration: 'on' | 'off'
  /** The id of an application may be the URL of a document about it. */
  readonly oauthClientDocuments: 'on' | 'off'
  /** Identity provider (OpenID Connect): its issuer or discovery document; undefined: none, or those of oidcProviders. */
  readonly oidcIssuer: string | undefined
  readonly oidcClientId: string | undefined
  /** Undefined: a public client. */
  readonly oidcClientSecret: string | undefined
  readonly oidcScopes: string
  /** On the sign-in page; undefined: the host of oidcIssuer. */
  readonly oidcName: string | undefined
  readonly oidcLoginClaim: string
  readonly oidcGroupsClaim: string
  /** Empty: everybody whom the provider lets in. */
  readonly oidcAllowedGroups: readonly string[]
  readonly oidcAdminGroup: string | undefined
  /** As `GROUP=ROLE@GUID`. */
  readonly oidcGroupRoles: readonly string[]
  readonly oidcCreateUsers: 'on' | 'off'
  readonly oidcLink: 'never' | 'verified-email'
  readonly oidcAutoRedirect: 'on' | 'off'
  readonly oidcEndTokens: 'on' | 'off'
  /** JSON file with several providers. */
  readonly oidcProviders: string | undefined
  /** Bearer token of the provider of oidcIssuer for SCIM; undefined: no SCIM, or tokens in the file. */
  readonly scimToken: string | undefined
  readonly scimIdClaim: string
  readonly passwordLogin: 'on' | 'off'
  /** Port for /metrics and the details of /readyz; undefined: the port of the service. */
  readonly opsPort: number | undefined
  readonly opsHost: string
  /** Bearer token for the details of /readyz and for /metrics; undefined: only this machine may read them. */
  readonly opsToken: string | undefined
  /** Folder, or URL of an S3 store, of the backups that the service makes by itself; undefined: it makes none. */
  readonly backupTo: string | undefined
  /** Milliseconds between two of them. */
  readonly backupEvery: number
  /** Milliseconds after midnight, UTC; undefined: counted from the last backup. */
  readonly backupAt: number | undefined
  /** How many of them are kept. */
  readonly backupKeep: number
  /** Encrypts the secrets of backups; undefined: backups have none. */
  readonly backupPassphrase: string | undefined
  /** OpenTelemetry collector for traces, over HTTP; undefined: none. */
  readonly otlpUrl: string | undefined
  /** File for a line per request; `-` is standard output; undefined: none. */
  readonly accessLog: string | undefined
  /** Whether its lines have the IP address of the client. */
  readonly accessLogIp: 'on' | 'off'
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'json' | 'pretty'
  readonly adminLogin: string | undefined
  readonly adminPassword: string | undefined
  readonly adminToken: string | undefined
  readonly demo: 'on' | 'off'
}

export interface EndpointLimit {
  /** Method and path: `POST /v4/shorten`. */
  readonly endpoint: string
  readonly perHour: number
}

export interface NetworkLimit {
  readonly network: Cidr
  readonly max: number
}

/** The configurable options; the other fields are derived from them. */
export type OptionName = Exclude<keyof Config, 'anyHost'>
