import { gatewaySecretRule, loginRule, passwordRule, tokenRule } from '../lib/credentials.js'
import type { Config, OptionName } from './config.js'
import {
  addressesAndNames,
  clickhouseUrl,
  credential,
  domainNames,
  endpointLimits,
  file,
  files,
  folder,
  hostsAndPorts,
  type Kind,
  listenAddress,
  mailAddress,
  masked,
  networkLimits,
  oneOf,
  origin,
  origins,
  postgresUrl,
  publicAddress,
  redisUrl,
  resolvers,
  smtpUrl,
  webUrl,
  wholeNumber,
  word,
} from './kinds.js'

/**
 * Everything that can be configured, once. Parsing, problems, `--help`, `config --print` and docs/configuration.md all
 * come from this table; a field of Config without a row here does not compile. It must not know what uses the values.
 */
export const options: { readonly [Name in OptionName]: Option<Exclude<Given[Name], undefined>> } = {
  port: {
    description: 'Port of the HTTP server: redirects, API and operations.',
    kind: wholeNumber(1, 65535),
    default: '8080',
    example: '9000',
  },
  host: {
    description: 'Address to listen on; 0.0.0.0 listens on all.',
    kind: listenAddress,
    default: '127.0.0.1',
    example: '0.0.0.0',
  },
  baseUrl: {
    description: 'Where the API is reached from outside.',
    kind: origin,
    otherwise: 'http://localhost:<port>',
    example: 'https://links.example.com',
  },
  domains: {
    description: 'Built-in short domains; the first is the default. With none, any Host counts as the host of baseUrl.',
    kind: domainNames,
    otherwise: 'the host of baseUrl',
    example: 'go.example.com,s.example.org',
  },
  dnsTargets: {
    description: 'Addresses and names that branded domains must lead to; their DNS is checked before links are made.',
    kind: addressesAndNames,
    otherwise: 'no checks',
    example: 'links.example.com,203.0.113.7,2001:db8::7',
  },
  dnsServers: {
    description: 'Resolvers to ask for the DNS of branded domains.',
    kind: resolvers,
    otherwise: "the system's",
    example: '127.0.0.1:5353,[2001:db8::53]:53',
  },
  dataDir: {
    description: 'Where everything is kept; made when missing.',
    kind: folder,
    default: './data',
    example: '/var/lib/shortlink',
  },
  databaseUrl: {
    description: 'PostgreSQL for links and accounts.',
    kind: postgresUrl,
    otherwise: 'SQLite in dataDir',
    example: 'postgres://shortlink:secret@db.example.com:5432/shortlink',
    secret: true,
  },
  secretsKey: {
    description: 'Encrypts second factors in the database; the same for all processes that share it.',
    kind: credential(tokenRule),
    otherwise: 'secrets.key in dataDir with SQLite, no encryption with PostgreSQL',
    example: '9b1f3c5e7a2d4f6089b1c3d5e7f90a2b',
    secret: true,
  },
  clickhouseUrl: {
    description: 'ClickHouse for clicks, by its HTTP interface (docs/clickhouse.md).',
    kind: clickhouseUrl,
    otherwise: 'DuckDB in dataDir',
    example: 'http://shortlink:secret@clickhouse.example.com:8123/shortlink',
    secret: true,
  },
  clickhouseCluster: {
    description: 'Name of the ClickHouse cluster on which the tables are made, replicated and distributed.',
    kind: word,
    otherwise: 'one server',
    example: 'analytics',
  },
  clickhouseInsertQuorum: {
    description: 'Replicas of that cluster that must have clicks before they count as delivered; 0: the first one.',
    kind: wholeNumber(0, 100),
    default: '0',
    example: '2',
  },
  trustProxy: {
    description: 'How many proxies in front append to X-Forwarded-For; 0 does not believe the header.',
    kind: wholeNumber(0, 32),
    default: '0',
    example: '1',
  },
  durability: {
    description: 'What an answered click survives: the death of the process (normal) or of the machine (full).',
    kind: oneOf('normal', 'full'),
    default: 'normal',
    example: 'full',
  },
  clickRetention: {
    description: 'After how many days single clicks are dropped; totals per quarter of an hour are kept for ever.',
    kind: wholeNumber(1, 36_500),
    otherwise: 'clicks are kept for ever',
    example: '400',
  },
  geography: {
    description: 'mmdb files with city data.',
    kind: files,
    otherwise: 'the bundled ones',
    example: '/usr/share/GeoIP/GeoLite2-City.mmdb',
  },
  titles: {
    description: 'Whether links made without a title get that of their destination, fetched from public addresses.',
    // Our choice: on, as people expect it; the guard is what makes it safe.
    kind: oneOf('on', 'off'),
    default: 'on',
    example: 'off',
  },
  redirectCacheSize: {
    description: 'How many addresses the redirect cache keeps in memory.',
    formerly: 'targets',
    // Our choice: about 100 MB when full; the upper end is what a Map can hold.
    kind: wholeNumber(100, 16_000_000),
    default: '250000',
    example: '1000000',
  },
  redisUrl: {
    description: 'Redis in which several processes count requests together.',
    kind: redisUrl,
    otherwise: 'each process counts its own',
    example: 'redis://:secret@redis.example.com:6379/0',
    secret: true,
  },
  nsqdPort: {
    description: 'Port on which the stream of clicks is read (docs/stream.md); 4150 is the usual one.',
    // Our choice: a port that nobody asked for is not opened.
    kind: wholeNumber(1, 65535),
    otherwise: 'no stream in the process',
    example: '4150',
  },
  nsqdHost: {
    description: 'Address to listen on for the stream; 0.0.0.0 listens on all.',
    kind: listenAddress,
    default: '127.0.0.1',
    example: '0.0.0.0',
  },
  nsqdAddress: {
    description: 'Where readers reach the stream; also the name in the certificate that the service makes.',
    kind: publicAddress,
    otherwise: 'the host of baseUrl and nsqdPort',
    example: 'stream.example.com:4150',
  },
  nsqdCertificate: {
    description: 'PEM file with the certificate of the stream, and those that it follows from.',
    kind: file,
    otherwise: 'made at the first start, in dataDir',
    example: '/etc/shortlink/stream.pem',
  },
  nsqdKey: {
    description: 'PEM file with its private key.',
    kind: file,
    otherwise: 'made with the certificate',
    example: '/etc/shortlink/stream-key.pem',
  },
  nsqdTls: {
    description: 'Whether readers must use TLS; optional is for nsqdHost 127.0.0.1, ::1 or localhost only.',
    kind: oneOf('required', 'optional'),
    default: 'required',
    example: 'optional',
  },
  nsqdTcpAddresses: {
    description: 'Real nsqd daemons that clicks are published to by TCP (docs/stream-nsqd.md).',
    kind: hostsAndPorts,
    otherwise: 'nsqdHttpAddresses',
    example: 'nsqd-1.example.com:4150,nsqd-2.example.com:4150',
  },
  nsqdHttpAddresses: {
    description:
      'The HTTP addresses of those daemons: for their statistics, and to publish by where TCP is not configured.',
    kind: origins,
    otherwise: 'no real daemons',
    example: 'nsqd-1.example.com:4151,nsqd-2.example.com:4151',
  },
  nsqlookupdHttpAddresses: {
    description: 'The nsqlookupd daemons that know which of them has a topic.',
    kind: origins,
    otherwise: 'the configured daemons have every topic',
    example: 'nsqlookupd.example.com:4161',
  },
  nsqdAuthSecret: {
    description: 'Last part of the URL under which those daemons ask who a reader is: /internal/nsq/auth/SECRET.',
    kind: credential(tokenRule),
    otherwise: 'only daemons on this machine may ask, without a secret',
    example: 'a7c1f0e98d2b4c6f8a3e5d7b',
    secret: true,
  },
  nsqdBacklog: {
    description:
      'Unread messages that those daemons together may hold of a topic before it gets no more; 0: any number.',
    // Our choice: about a gigabyte of clicks. Far more than a reader that is down for a night misses on a usual service.
    kind: wholeNumber(0, 1_000_000_000_000),
    default: '1000000',
    example: '100000',
  },
  apiRequestsPerHour: {
    description: 'How often an account may ask each endpoint in an hour, and a tenth of it in a minute; 0: no limit.',
    // Our choice: more than a person or a usual program needs, less than a program that went wild.
    kind: wholeNumber(0, 1_000_000_000_000),
    default: '100000',
    example: '1000',
  },
  addressRequestsPerHour: {
    description: 'The same for all accounts at one address; 0: no limit.',
    kind: wholeNumber(0, 1_000_000_000_000),
    default: '200000',
    example: '5000',
  },
  endpointLimits: {
    description: 'Limits of single endpoints, instead of apiRequestsPerHour.',
    kind: endpointLimits,
    otherwise: 'none',
    example: 'POST /v4/shorten=1000,GET /v4/groups/{group_guid}/shortlinks=500',
  },
  apiConnections: {
    description: 'How many connections of one address may have an API request under way at once; 0: no limit.',
    kind: wholeNumber(0, 1_000_000),
    default: '5',
    example: '0',
  },
  networkConnections: {
    description: 'The same for single networks, instead of apiConnections. The first that an address is in counts.',
    kind: networkLimits,
    otherwise: 'apiConnections for all',
    example: '10.0.0.0/8=50,203.0.113.7=0',
  },
  apiConnectionWait: {
    description: 'Milliseconds that a request on one connection too many waits for a free place before it is refused.',
    // Long enough for some dozens of usual requests, short enough that nobody takes it for an outage.
    kind: wholeNumber(0, 10_000),
    default: '250',
    example: '1000',
  },
  plans: {
    description: 'JSON file with the plans that organizations can have.',
    kind: file,
    otherwise: 'only the built-in plan "unlimited"',
    example: '/etc/shortlink/plans.json',
  },
  defaultPlan: {
    description: 'Plan of organizations that were given none.',
    kind: word,
    default: 'unlimited',
    example: 'free',
  },
  smtpUrl: {
    description: 'Mail server for invitations and forgotten passwords.',
    kind: smtpUrl,
    otherwise: 'messages are written to the log',
    example: 'smtp://shortlink:secret@mail.example.com:587',
    secret: true,
  },
  mailFrom: {
    description: 'Sender of that mail.',
    kind: mailAddress,
    otherwise: 'shortlink@ the host of baseUrl',
    example: 'links@example.com',
  },
  smsGatewayUrl: {
    description: 'Takes codes for two-factor sign-in as POST {"to", "text"}.',
    kind: webUrl,
    otherwise: 'no SMS; codes are logged unless NODE_ENV is production',
    example: 'https://sms.example.com/send',
  },
  smsGatewaySecret: {
    description: 'Sent to the gateway as a bearer token.',
    kind: credential(gatewaySecretRule),
    otherwise: 'no Authorization header',
    example: 'a-long-random-word',
    secret: true,
  },
  opsToken: {
    description: 'Bearer token that opens /metrics and the details of /readyz to other machines.',
    kind: credential(tokenRule),
    otherwise: 'they are for programs on this machine alone',
    example: '5d0a4f1be07c49d8a1f3b2c6e8d97a40',
    secret: true,
  },
  logLevel: {
    description: 'What is worth a log line.',
    kind: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    example: 'warn',
  },
  logFormat: {
    description: 'JSON lines for machines or coloured lines for people.',
    kind: oneOf('json', 'pretty'),
    otherwise: 'pretty on a terminal, else json',
    example: 'json',
  },
  adminLogin: {
    description: 'Login of the user made at the first start; ignored later.',
    kind: credential(loginRule),
    default: 'admin',
    example: 'ada',
  },
  adminPassword: {
    description: 'Password of that user; ignored later.',
    kind: credential(passwordRule),
    otherwise: 'generated at the first start',
    example: 'correct horse battery staple',
    secret: true,
  },
  adminToken: {
    description: 'Access token of that user; ignored later.',
    kind: credential(tokenRule),
    otherwise: 'generated at the first start',
    example: '2f9d1c7be04a5e6f8b3d2a1c0e9f8d7c6b5a4f3e',
    secret: true,
  },
}

export interface Option<Value> {
  readonly description: string
  readonly kind: Kind<Value>
  /** Read like a value that was given. */
  readonly default?: string
  /** What happens when nothing is given and there is no default. */
  readonly otherwise?: string
  readonly example: string
  /** A name that it had in an earlier release, which is still understood. */
  readonly formerly?: string
  /** Never shown: not in problems, not by `config --print`. */
  readonly secret?: boolean
}

/** What was given or has a default; the rest of Config follows from it. */
export type Given = Omit<Config, 'anyHost' | Derived> & {
  readonly [Name in Derived]: GivenList<Config[Name]> | undefined
}
type Derived =
  | 'baseUrl'
  | 'dnsServers'
  | 'dnsTargets'
  | 'domains'
  | 'endpointLimits'
  | 'geography'
  | 'logFormat'
  | 'networkConnections'
  | 'nsqdHttpAddresses'
  | 'nsqdTcpAddresses'
  | 'nsqlookupdHttpAddresses'
type GivenList<Value> = Value extends readonly string[] ? readonly string[] : Value

export const optionNames = Object.keys(options) as readonly OptionName[]

/** `dataDir` is `--data-dir` on the command line ... */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** ... and `SHORTLINK_DATA_DIR` in the environment. */
export function variableOf(name: string): string {
  return environmentPrefix + flagOf(name).replaceAll('-', '_').toUpperCase()
}

export const environmentPrefix = 'SHORTLINK_'

/** Names the configuration file itself, so it cannot be in one. */
export const fileOption = {
  name: 'config',
  placeholder: 'FILE',
  description: 'JSON file with any of these options.',
  inWorkingDirectory: 'shortlink.config.json',
} as const

/** A value as it may be shown to people. */
export function shown(name: OptionName, text: string): string {
  const { secret, kind } = options[name]
  if (kind.mask) return kind.mask(text)
  return secret ? masked : text
}
