import { gatewaySecretRule, loginRule, passwordRule, tokenRule } from '../lib/credentials.js'
import type { Config, OptionName } from './config.js'
import {
  addressesAndNames,
  clickhouseUrl,
  credential,
  domainNames,
  duration,
  endpointLimits,
  file,
  fileOrOutput,
  files,
  folder,
  folderOrS3,
  groupRoles,
  hostsAndPorts,
  type Kind,
  linkWords,
  listenAddress,
  mailAddress,
  masked,
  networkLimits,
  networks,
  oidcIssuerUrl,
  oneOf,
  origin,
  origins,
  pageOrigins,
  plainText,
  plainTexts,
  postgresUrl,
  processes,
  publicAddress,
  redisUrl,
  resolvers,
  s3Url,
  scopes,
  smtpUrl,
  timeOfDay,
  webUrl,
  wholeNumber,
  word,
} from './kinds.js'

/**
 * The table of all options. Parsing, error messages, `--help`, `config --print` and docs/configuration.md are generated
 * from it; a field of Config without an entry does not compile. It must not know what uses the values.
 */
export const options: { readonly [Name in OptionName]: Option<Exclude<Given[Name], undefined>> } = {
  port: {
    description: 'Port of the HTTP server: redirects, API and operations.',
    kind: wholeNumber(1, 65535),
    default: '8080',
    example: '9000',
  },
  host: {
    description: 'IP address to listen on; 0.0.0.0 listens on all interfaces.',
    kind: listenAddress,
    default: '127.0.0.1',
    example: '0.0.0.0',
  },
  baseUrl: {
    description: 'Public base URL of the API.',
    kind: origin,
    otherwise: 'http://localhost:<port>',
    example: 'https://links.example.com',
  },
  domains: {
    description:
      'Built-in short domains; the first is the default. If empty, any Host header counts as the host of baseUrl.',
    kind: domainNames,
    otherwise: 'the host of baseUrl',
    example: 'go.example.com,s.example.org',
  },
  domainAliases: {
    description:
      'Names that clients send instead of the default domain; understood in requests, never shown (docs/api/domains.md#aliases).',
    kind: domainNames,
    otherwise: 'none',
    example: 'bit.ly',
  },
  dnsTargets: {
    description: 'IP addresses and host names that branded domains must resolve to; checked before links are created.',
    kind: addressesAndNames,
    otherwise: 'not required; the host of baseUrl is shown as the record to set',
    example: 'links.example.com,203.0.113.7,2001:db8::7',
  },
  dnsServers: {
    description: 'DNS resolvers for checking branded domains.',
    kind: resolvers,
    otherwise: "the system's resolvers",
    example: '127.0.0.1:5353,[2001:db8::53]:53',
  },
  dataDir: {
    description: 'Data directory; created when missing.',
    kind: folder,
    default: './data',
    example: '/var/lib/shortlink',
  },
  databaseUrl: {
    description: 'PostgreSQL for links and accounts; of several hosts the one that accepts writes (docs/scaling.md).',
    kind: postgresUrl,
    otherwise: 'SQLite in dataDir',
    example: 'postgres://shortlink:secret@db.example.com:5432/shortlink',
    secret: true,
  },
  secretsKey: {
    description:
      'Key that encrypts second factors and secrets of webhooks in the database; all processes that share it need the same.',
    kind: credential(tokenRule),
    otherwise: 'secrets.key in dataDir with SQLite, no encryption with PostgreSQL',
    example: '9b1f3c5e7a2d4f6089b1c3d5e7f90a2b',
    secret: true,
  },
  clickhouseUrl: {
    description: 'ClickHouse for clicks, over its HTTP interface (docs/clickhouse.md).',
    kind: clickhouseUrl,
    otherwise: 'DuckDB in dataDir',
    example: 'http://shortlink:secret@clickhouse.example.com:8123/shortlink',
    secret: true,
  },
  clickhouseCluster: {
    description: 'ClickHouse cluster on which tables are created, replicated and distributed.',
    kind: word,
    otherwise: 'one server',
    example: 'analytics',
  },
  clickhouseInsertQuorum: {
    description: 'Replicas that must store clicks before they count as delivered; 0: one replica is enough.',
    kind: wholeNumber(0, 100),
    default: '0',
    example: '2',
  },
  missingAfter: {
    description: 'Seconds until processes with one PostgreSQL tell of one that does not come back.',
    kind: wholeNumber(1, 86_400),
    default: '60',
    example: '600',
  },
  trustProxy: {
    description: 'Number of trusted proxies that append to X-Forwarded-For; 0 ignores the header.',
    kind: wholeNumber(0, 32),
    default: '0',
    example: '1',
  },
  processes: {
    description: 'Processes that answer redirects (docs/scaling.md); auto is one for each core.',
    kind: processes,
    default: '1',
    example: 'auto',
  },
  durability: {
    description: 'Durability of clicks: survive a crash of the process (normal) or of the machine (full).',
    kind: oneOf('normal', 'full'),
    default: 'normal',
    example: 'full',
  },
  journalCopy: {
    description:
      'Second folder for the click journal while it is written, such as a volume of another machine (docs/scaling.md#a-copy-of-the-journal).',
    kind: folder,
    otherwise: 'no copy',
    example: '/mnt/other-machine/shortlink-1',
  },
  clickRetention: {
    description: 'Days until single clicks are dropped; totals per 15 minutes are kept forever.',
    kind: wholeNumber(1, 36_500),
    otherwise: 'clicks are kept forever',
    example: '400',
  },
  linkHistoryDays: {
    description: 'Days until changes are dropped from the history of links (docs/api/links.md#history).',
    kind: wholeNumber(1, 36_500),
    default: '730',
    example: '90',
  },
  memoryLimit: {
    description: 'Megabytes that DuckDB may use for reports and compaction (docs/operating.md#memory).',
    kind: wholeNumber(64, 1_000_000),
    default: '256',
    example: '1024',
  },
  geography: {
    description: 'mmdb files with city data.',
    kind: files,
    otherwise: 'the bundled files',
    example: '/usr/share/GeoIP/GeoLite2-City.mmdb',
  },
  titles: {
    description:
      'Fetch the title of the destination for links created without one, and the icon of its site for the dashboard (public IP addresses only).',
    // On, because people expect a title; the address guard makes fetching safe.
    kind: oneOf('on', 'off'),
    default: 'on',
    example: 'off',
  },
  outgoingAllow: {
    description:
      'Networks that page titles, icons, webhooks and descriptions of applications may connect to although they are not public (docs/security.md#outgoing-requests).',
    kind: networks,
    otherwise: 'public IP addresses only',
    example: '10.20.0.0/16,fd00:20::/32',
  },
  redirectCacheSize: {
    description: 'Maximum number of links in the redirect cache.',
    formerly: 'targets',
    // About 100 MB when full, beside the pages of sites, which have a limit of their own; the maximum is what a Map can hold.
    kind: wholeNumber(100, 16_000_000),
    default: '250000',
    example: '1000000',
  },
  s3Url: {
    description: 'S3-compatible store for uploaded images (docs/api/images.md#where-files-are).',
    kind: s3Url,
    otherwise: 'files in dataDir',
    example: 'https://ACCESSKEY:SECRETKEY@s3.eu-central-1.amazonaws.com/my-bucket/images?region=eu-central-1',
    secret: true,
  },
  redisUrl: {
    description: 'Redis for rate limits shared by several processes.',
    kind: redisUrl,
    otherwise: 'each process counts alone',
    example: 'redis://:secret@redis.example.com:6379/0',
    secret: true,
  },
  nsqdPort: {
    description: 'Port of the embedded click stream (docs/stream.md); usually 4150.',
    // Off by default: open no port that the operator did not ask for.
    kind: wholeNumber(1, 65535),
    otherwise: 'no embedded stream',
    example: '4150',
  },
  nsqdHost: {
    description: 'IP address to listen on for the stream; 0.0.0.0 listens on all interfaces.',
    kind: listenAddress,
    default: '127.0.0.1',
    example: '0.0.0.0',
  },
  nsqdAddress: {
    description: 'Public address of the stream; also the name in the generated certificate.',
    kind: publicAddress,
    otherwise: 'the host of baseUrl and nsqdPort',
    example: 'stream.example.com:4150',
  },
  nsqdCertificate: {
    description: 'PEM file with the certificate of the stream and its intermediate certificates.',
    kind: file,
    otherwise: 'created in dataDir at the first start',
    example: '/etc/shortlink/stream.pem',
  },
  nsqdKey: {
    description: 'PEM file with the private key of the certificate.',
    kind: file,
    otherwise: 'created with the certificate',
    example: '/etc/shortlink/stream-key.pem',
  },
  nsqdTls: {
    description: 'Whether readers must use TLS; "optional" is only allowed with nsqdHost 127.0.0.1, ::1 or localhost.',
    kind: oneOf('required', 'optional'),
    default: 'required',
    example: 'optional',
  },
  nsqdTcpAddresses: {
    description: 'External nsqd daemons that clicks are published to over TCP (docs/stream-nsqd.md).',
    kind: hostsAndPorts,
    otherwise: 'nsqdHttpAddresses',
    example: 'nsqd-1.example.com:4150,nsqd-2.example.com:4150',
  },
  nsqdHttpAddresses: {
    description:
      'HTTP addresses of the external nsqd daemons: for statistics, and for publishing when TCP is not configured.',
    kind: origins,
    otherwise: 'no external daemons',
    example: 'nsqd-1.example.com:4151,nsqd-2.example.com:4151',
  },
  nsqlookupdHttpAddresses: {
    description: 'nsqlookupd daemons that know which nsqd has a topic.',
    kind: origins,
    otherwise: 'the configured daemons have every topic',
    example: 'nsqlookupd.example.com:4161',
  },
  nsqdAuthSecret: {
    description: 'Secret in the URL that external nsqd daemons use for authorization: /internal/nsq/auth/SECRET.',
    kind: credential(tokenRule),
    otherwise: 'only daemons on this machine may ask, without a secret',
    example: 'a7c1f0e98d2b4c6f8a3e5d7b',
    secret: true,
  },
  nsqdBacklog: {
    description:
      'Maximum unread messages per topic over all external daemons; a topic above it gets no more; 0: no limit.',
    // About a gigabyte of clicks: far more than a reader usually misses in a night.
    kind: wholeNumber(0, 1_000_000_000_000),
    default: '1000000',
    example: '100000',
  },
  apiRequestsPerHour: {
    description: 'Requests per hour for each account and endpoint, and a tenth of it per minute; 0: no limit.',
    // More than people or well-behaved programs need; stops a runaway program.
    kind: wholeNumber(0, 1_000_000_000_000),
    default: '100000',
    example: '1000',
  },
  addressRequestsPerHour: {
    description: 'Requests per hour for each IP address and endpoint, over all accounts; 0: no limit.',
    kind: wholeNumber(0, 1_000_000_000_000),
    default: '200000',
    example: '5000',
  },
  endpointLimits: {
    description: 'Limits for single endpoints, instead of apiRequestsPerHour.',
    kind: endpointLimits,
    otherwise: 'none',
    example: 'POST /v4/shorten=1000,GET /v4/groups/{group_guid}/shortlinks=500',
  },
  apiConnections: {
    description: 'Concurrent API connections per IP address; 0: no limit.',
    kind: wholeNumber(0, 1_000_000),
    default: '5',
    example: '0',
  },
  networkConnections: {
    description: 'Limits for networks, instead of apiConnections; the first match counts.',
    kind: networkLimits,
    otherwise: 'apiConnections for all',
    example: '10.0.0.0/8=50,203.0.113.7=0',
  },
  apiConnectionWait: {
    description: 'Milliseconds a request above the connection limit waits for a free connection before it is refused.',
    // Long enough for a few dozen usual requests, short enough not to look like an outage.
    kind: wholeNumber(0, 10_000),
    default: '250',
    example: '1000',
  },
  corsOrigins: {
    description: 'Web sites whose scripts may call v4 with a token (docs/security.md#scripts-of-other-sites).',
    kind: pageOrigins,
    otherwise: 'none; no CORS headers',
    example: 'https://app.example.com,http://localhost:5173',
  },
  linkWord: {
    description:
      'Other words for short links that the API understands, for clients of other services (docs/api/README.md#other-names-for-links).',
    kind: linkWords,
    otherwise: 'only the word shortlink',
    example: 'bitlink:bitly',
  },
  linkWordDefault: {
    description: 'Answer in the first linkWord where neither the request nor its token says which word it wants.',
    kind: oneOf('on', 'off'),
    default: 'off',
    example: 'on',
  },
  plans: {
    description: 'JSON file with the plans of organizations.',
    kind: file,
    otherwise: 'only the built-in plan "unlimited"',
    example: '/etc/shortlink/plans.json',
  },
  defaultPlan: {
    description: 'Plan of organizations without an assigned plan.',
    kind: word,
    default: 'unlimited',
    example: 'free',
  },
  smtpUrl: {
    description: 'SMTP server for invitations, password resets and new e-mail addresses.',
    kind: smtpUrl,
    otherwise: 'messages are written to the log',
    example: 'smtp://shortlink:secret@mail.example.com:587',
    secret: true,
  },
  mailFrom: {
    description: 'Sender of e-mails.',
    kind: mailAddress,
    otherwise: 'shortlink@ the host of baseUrl',
    example: 'links@example.com',
  },
  smsGatewayUrl: {
    description: 'HTTP gateway for two-factor codes; receives POST {"to", "text"}.',
    kind: webUrl,
    otherwise: 'no SMS; codes are logged unless NODE_ENV is production',
    example: 'https://sms.example.com/send',
  },
  smsGatewaySecret: {
    description: 'Bearer token sent to the SMS gateway.',
    kind: credential(gatewaySecretRule),
    otherwise: 'no Authorization header',
    example: 'a-long-random-word',
    secret: true,
  },
  oauthRegistration: {
    description: 'Let applications register themselves (docs/oauth.md#dynamic-registration).',
    kind: oneOf('on', 'off'),
    default: 'off',
    example: 'on',
  },
  oauthClientDocuments: {
    description:
      'Let applications be known by the URL of a document about them (docs/oauth.md#client-id-metadata-documents).',
    kind: oneOf('on', 'off'),
    default: 'off',
    example: 'on',
  },
  oidcIssuer: {
    description:
      'Issuer of the identity provider that people sign in with, or the URL of its discovery document (docs/sso.md).',
    kind: oidcIssuerUrl,
    otherwise: 'no identity provider',
    example: 'https://id.example.com/realms/staff',
  },
  oidcClientId: {
    description: 'Id of this service at the identity provider.',
    kind: plainText,
    otherwise: 'required with oidcIssuer',
    example: 'shortlink',
  },
  oidcClientSecret: {
    description: 'Secret of this service at the identity provider.',
    kind: credential(gatewaySecretRule),
    otherwise: 'a public client, with PKCE alone',
    example: 'a-long-random-word',
    secret: true,
  },
  oidcScopes: {
    description: 'Scopes to ask for, separated by spaces; openid must be among them.',
    kind: scopes,
    default: 'openid profile email',
    example: 'openid profile email offline_access',
  },
  oidcName: {
    description: 'Name of the identity provider on the sign-in page.',
    kind: plainText,
    otherwise: 'the host of oidcIssuer',
    example: 'Example Inc.',
  },
  oidcLoginClaim: {
    description: 'Claim that the login of a new user is made from.',
    kind: plainText,
    default: 'preferred_username',
    example: 'upn',
  },
  oidcGroupsClaim: {
    description: 'Claim with the groups of people; with dots for a claim inside another.',
    kind: plainText,
    default: 'groups',
    example: 'realm_access.roles',
  },
  oidcAllowedGroups: {
    description: 'Groups whose people may sign in; separated by commas.',
    kind: plainTexts,
    otherwise: 'everybody whom the provider lets in',
    example: 'staff,contractors',
  },
  oidcAdminGroup: {
    description: 'Group whose people administer the oldest organization.',
    kind: plainText,
    otherwise: 'none',
    example: 'shortlink-admins',
  },
  oidcGroupRoles: {
    description: 'Roles that groups of the provider give, as GROUP=ROLE@GUID, separated by commas (docs/sso.md#roles).',
    kind: groupRoles,
    otherwise: 'people give roles',
    example: 'marketing=member@Ba1bc23dE4F,it=org-admin@Oa1bc23dE4F',
  },
  oidcCreateUsers: {
    description: 'Create a user for everybody who may sign in.',
    kind: oneOf('on', 'off'),
    default: 'on',
    example: 'off',
  },
  oidcLink: {
    description:
      'Whether somebody with the verified e-mail address of a user, who has confirmed it here, is that user.',
    kind: oneOf('never', 'verified-email'),
    default: 'never',
    example: 'verified-email',
  },
  oidcAutoRedirect: {
    description: 'Go to the identity provider without showing the sign-in page.',
    kind: oneOf('on', 'off'),
    default: 'off',
    example: 'on',
  },
  oidcEndTokens: {
    description:
      'Revoke tokens and API keys of people whom the provider no longer lets in (docs/sso.md#how-long-a-session-lasts).',
    kind: oneOf('on', 'off'),
    default: 'off',
    example: 'on',
  },
  oidcProviders: {
    description: 'JSON file with several identity providers (docs/sso.md#several-providers).',
    kind: file,
    otherwise: 'the one of oidcIssuer',
    example: '/etc/shortlink/providers.json',
  },
  scimToken: {
    description:
      'Bearer token with which the identity provider keeps users and groups here by SCIM (docs/sso.md#scim).',
    kind: credential(tokenRule),
    otherwise: 'no SCIM',
    example: '8c1f0b7e52d94a6f9e3d7b40a5c2e816',
    secret: true,
  },
  scimIdClaim: {
    description: 'Claim that is the externalId of SCIM.',
    kind: plainText,
    default: 'sub',
    example: 'oid',
  },
  passwordLogin: {
    description: 'Whether people sign in with passwords and passkeys; off needs an identity provider.',
    kind: oneOf('on', 'off'),
    default: 'on',
    example: 'off',
  },
  opsPort: {
    description:
      'Port of their own for /metrics and the details of /readyz, without token for programs on this machine (docs/operating.md#monitoring).',
    kind: wholeNumber(1, 65535),
    otherwise: 'the port of the HTTP server',
    example: '9090',
  },
  opsHost: {
    description: 'IP address to listen on for opsPort; other machines also need opsToken.',
    kind: listenAddress,
    default: '127.0.0.1',
    example: '0.0.0.0',
  },
  opsToken: {
    description: 'Bearer token that gives other machines access to /metrics and the details of /readyz.',
    kind: credential(tokenRule),
    otherwise: 'only programs on this machine have access',
    example: '5d0a4f1be07c49d8a1f3b2c6e8d97a40',
    secret: true,
  },
  backupTo: {
    description: 'Folder or S3-compatible store where the service makes backups by itself (docs/backup.md#schedule).',
    kind: folderOrS3,
    otherwise: 'no backups',
    example: '/backups/shortlink',
    secret: true,
  },
  backupEvery: {
    description: 'Time from the beginning of a backup in backupTo to that of the next.',
    kind: duration(60_000),
    default: '24h',
    example: '6h',
  },
  backupAt: {
    description: 'Time of day (UTC) at which a backup begins; others are whole multiples of backupEvery from it.',
    kind: timeOfDay,
    otherwise: 'counted from the last backup',
    example: '03:15',
  },
  backupKeep: {
    description: 'Number of backups kept in backupTo; older ones are deleted.',
    kind: wholeNumber(1, 10_000),
    default: '14',
    example: '30',
  },
  backupPassphrase: {
    description: 'Passphrase that encrypts the secrets in backups (docs/backup.md#secrets).',
    kind: credential(passwordRule),
    otherwise: 'backups contain no secrets',
    example: 'a long sentence that you keep elsewhere',
    secret: true,
  },
  otlpUrl: {
    description:
      'OpenTelemetry collector (OTLP over HTTP) that gets traces of API requests (docs/operating.md#traces).',
    kind: webUrl,
    otherwise: 'no traces',
    example: 'http://127.0.0.1:4318',
  },
  accessLog: {
    description: 'File for one line of JSON per request (docs/operating.md#access-log).',
    kind: fileOrOutput,
    otherwise: 'no access log',
    example: '/var/log/shortlink/access.log',
  },
  accessLogIp: {
    description: 'Whether the access log has the IP addresses of clients.',
    kind: oneOf('on', 'off'),
    default: 'off',
    example: 'on',
  },
  logLevel: {
    description: 'Minimum level of log messages.',
    kind: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    example: 'warn',
  },
  logFormat: {
    description: 'JSON lines for machines, or coloured lines for people.',
    kind: oneOf('json', 'pretty'),
    otherwise: 'pretty on a terminal, else json',
    example: 'json',
  },
  adminLogin: {
    description: 'Login of the user created at the first start; ignored later.',
    kind: credential(loginRule),
    default: 'admin',
    example: 'ada',
  },
  adminPassword: {
    description: 'Password of the first user; ignored later.',
    kind: credential(passwordRule),
    otherwise: 'generated at the first start',
    example: 'correct horse battery staple',
    secret: true,
  },
  adminToken: {
    description: 'Access token of the first user; ignored later.',
    kind: credential(tokenRule),
    otherwise: 'generated at the first start',
    example: '2f9d1c7be04a5e6f8b3d2a1c0e9f8d7c6b5a4f3e',
    secret: true,
  },
  demo: {
    description: 'Fill in adminLogin and adminPassword in the sign-in form. Only where no other machine can connect.',
    kind: oneOf('on', 'off'),
    default: 'off',
    example: 'on',
  },
}

export interface Option<Value> {
  readonly description: string
  readonly kind: Kind<Value>
  /** Parsed like a given value. */
  readonly default?: string
  /** What happens without a value and without a default. */
  readonly otherwise?: string
  readonly example: string
  /** Name in an earlier release; still accepted. */
  readonly formerly?: string
  /** Never displayed: not in error messages, not by `config --print`. */
  readonly secret?: boolean
}

/** Given values and defaults; the rest of Config is derived from them. */
export type Given = Omit<Config, 'anyHost' | Derived> & {
  readonly [Name in Derived]: GivenList<Config[Name]> | undefined
}
type Derived = 'baseUrl' | 'domains' | 'logFormat' | EmptyList
type GivenList<Value> = Value extends readonly string[] ? readonly string[] : Value

/** Lists that are empty when they are not given. */
export const emptyLists = [
  'corsOrigins',
  'domainAliases',
  'dnsTargets',
  'dnsServers',
  'endpointLimits',
  'geography',
  'linkWord',
  'networkConnections',
  'nsqdTcpAddresses',
  'nsqdHttpAddresses',
  'nsqlookupdHttpAddresses',
  'oidcAllowedGroups',
  'oidcGroupRoles',
  'outgoingAllow',
] as const satisfies readonly (keyof Config)[]
export type EmptyList = (typeof emptyLists)[number]

export const optionNames = Object.keys(options) as readonly OptionName[]

/** `dataDir` is `--data-dir` on the command line. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** `dataDir` is `SHORTLINK_DATA_DIR` in the environment. */
export function variableOf(name: string): string {
  return environmentPrefix + flagOf(name).replaceAll('-', '_').toUpperCase()
}

export const environmentPrefix = 'SHORTLINK_'

/** The configuration file itself; cannot be set in a file. */
export const fileOption = {
  name: 'config',
  placeholder: 'FILE',
  description: 'JSON file with any of these options.',
  inWorkingDirectory: 'shortlink.config.json',
} as const

/** Formats a value for display, with secrets masked. */
export function shown(name: OptionName, text: string): string {
  const { secret, kind } = options[name]
  if (kind.mask) return kind.mask(text)
  return secret ? masked : text
}
