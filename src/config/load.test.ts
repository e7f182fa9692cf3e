import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConfigInput, ConfigProblems, loadSettings } from './load.js'
import { flagOf, type Given, optionNames, options, variableOf } from './options.js'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'shortlink-config-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

function load(input: Partial<ConfigInput> = {}) {
  return loadSettings({ flags: {}, env: {}, cwd, ...input }).config
}

function problemsOf(input: Partial<ConfigInput>): readonly string[] {
  try {
    load(input)
  } catch (error) {
    if (error instanceof ConfigProblems) return error.problems
    throw error
  }
  return []
}

function file(content: unknown, name = 'shortlink.config.json'): string {
  const path = join(cwd, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('with nothing given', () => {
  it('runs on localhost with everything in ./data', () => {
    expect(load()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      baseUrl: 'http://localhost:8080',
      domains: ['localhost:8080'],
      domainAliases: [],
      oauthRegistration: 'off',
      oauthClientDocuments: 'off',
      oidcIssuer: undefined,
      oidcClientId: undefined,
      oidcClientSecret: undefined,
      oidcScopes: 'openid profile email',
      oidcName: undefined,
      oidcLoginClaim: 'preferred_username',
      oidcGroupsClaim: 'groups',
      oidcAllowedGroups: [],
      oidcAdminGroup: undefined,
      oidcGroupRoles: [],
      oidcCreateUsers: 'on',
      oidcLink: 'never',
      oidcAutoRedirect: 'off',
      oidcEndTokens: 'off',
      oidcProviders: undefined,
      scimToken: undefined,
      scimIdClaim: 'sub',
      passwordLogin: 'on',
      anyHost: true,
      processes: 1,
      dnsTargets: [],
      dnsServers: [],
      nsqdHost: '127.0.0.1',
      nsqdTls: 'required',
      nsqdTcpAddresses: [],
      nsqdHttpAddresses: [],
      nsqdBacklog: 1_000_000,
      nsqlookupdHttpAddresses: [],
      dataDir: join(cwd, 'data'),
      databaseUrl: undefined,
      clickhouseUrl: undefined,
      clickhouseCluster: undefined,
      clickhouseInsertQuorum: 0,
      missingAfter: 60,
      trustProxy: 0,
      durability: 'normal',
      clickRetention: undefined,
      linkHistoryDays: 730,
      geography: [],
      titles: 'on',
      redirectCacheSize: 250_000,
      redisUrl: undefined,
      apiRequestsPerHour: 100_000,
      addressRequestsPerHour: 200_000,
      endpointLimits: [],
      apiConnections: 5,
      corsOrigins: [],
      linkWord: [],
      linkWordDefault: 'off',
      networkConnections: [],
      outgoingAllow: [],
      apiConnectionWait: 250,
      plans: undefined,
      defaultPlan: 'unlimited',
      opsHost: '127.0.0.1',
      memoryLimit: 256,
      accessLogIp: 'off',
      backupEvery: 86_400_000,
      backupAt: undefined,
      backupKeep: 14,
      logLevel: 'info',
      logFormat: 'json',
      adminLogin: 'admin',
      adminPassword: undefined,
      adminToken: undefined,
      demo: 'off',
    })
  })

  it('logs for people on a terminal', () => {
    expect(load({ terminal: true }).logFormat).toBe('pretty')
  })
})

describe('the option table', () => {
  it.each(optionNames)('%s: its default and its example are allowed', (name) => {
    const { kind, default: preset, example } = options[name]
    if (preset !== undefined) expect(kind.read(preset, cwd)).toBeDefined()
    expect(kind.read(example, cwd)).toBeDefined()
  })

  it('spells an option in three ways', () => {
    expect([flagOf('dataDir'), variableOf('dataDir')]).toEqual(['data-dir', 'SHORTLINK_DATA_DIR'])
  })
})

describe('which value wins', () => {
  it('flag over environment over file over default', () => {
    file({ port: 1001, host: '10.0.0.1', durability: 'full' })
    const settings = loadSettings({
      flags: { port: '1003' },
      env: { SHORTLINK_PORT: '1002', SHORTLINK_HOST: '10.0.0.2' },
      cwd,
    })
    expect(settings.config).toMatchObject({ port: 1003, host: '10.0.0.2', durability: 'full', trustProxy: 0 })
    expect(settings.sources).toMatchObject({
      port: { from: 'flag', name: '--port' },
      host: { from: 'environment', name: 'SHORTLINK_HOST' },
      durability: { from: 'file', name: join(cwd, 'shortlink.config.json') },
      trustProxy: { from: 'default', name: '' },
    })
  })

  it('an empty environment variable counts as not set, known or not', () => {
    file({ port: 1001 })
    expect(load({ env: { SHORTLINK_PORT: '', SHORTLINK_NONSENSE: '', SHORTLINK_CONFIG: '' } }).port).toBe(1001)
  })

  it('--config names the file, over SHORTLINK_CONFIG, over the one in the working directory', () => {
    file({ port: 1001 })
    const second = file({ port: 1002 }, 'second.json')
    file({ port: 1003 }, 'third.json')
    expect(load({ env: { SHORTLINK_CONFIG: second } }).port).toBe(1002)
    expect(load({ flags: { config: 'third.json' }, env: { SHORTLINK_CONFIG: second } }).port).toBe(1003)
  })

  it('takes relative paths in a file from the folder of the file', () => {
    mkdirSync(join(cwd, 'etc'))
    file({ dataDir: 'kept', geography: ['a.mmdb', '/b.mmdb'] }, 'etc/s.json')
    expect(load({ flags: { config: 'etc/s.json' } })).toMatchObject({
      dataDir: join(cwd, 'etc', 'kept'),
      geography: [join(cwd, 'etc', 'a.mmdb'), '/b.mmdb'],
    })
    expect(load({ env: { SHORTLINK_DATA_DIR: 'kept' } }).dataDir).toBe(join(cwd, 'kept'))
  })
})

describe('values', () => {
  const good: [keyof Given, string, unknown][] = [
    ['port', '1', 1],
    ['port', '65535', 65535],
    ['host', '0.0.0.0', '0.0.0.0'],
    ['host', '::', '::'],
    ['host', 'localhost', 'localhost'],
    ['baseUrl', 'https://links.example.com', 'https://links.example.com'],
    ['baseUrl', 'https://Links.Example.com/', 'https://links.example.com'],
    ['baseUrl', 'https://links.example.com:443', 'https://links.example.com'],
    ['baseUrl', 'http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
    ['domains', 'go.example.com', ['go.example.com']],
    ['domains', 'GO.example.com, s.example.org:8080', ['go.example.com', 's.example.org:8080']],
    ['domains', 'bücher.example', ['xn--bcher-kva.example']],
    ['domains', 'go.example.com:80', ['go.example.com']],
    ['domains', '127.0.0.1:8080', ['127.0.0.1:8080']],
    ['dnsTargets', 'Links.Example.com, 203.0.113.7,2001:DB8:0::7', ['links.example.com', '203.0.113.7', '2001:db8::7']],
    ['dnsServers', '9.9.9.9,127.0.0.1:5353,[::1]:53,::1', ['9.9.9.9', '127.0.0.1:5353', '[::1]:53', '::1']],
    ['databaseUrl', 'postgres://u:p@db/x', 'postgres://u:p@db/x'],
    ['databaseUrl', 'postgres://u:p@a:5432,b:5432/x', 'postgres://u:p@a:5432,b:5432/x'],
    ['redisUrl', 'rediss://:p@redis.example/1', 'rediss://:p@redis.example/1'],
    ['endpointLimits', 'POST /v4/shorten = 1000', [{ endpoint: 'POST /v4/shorten', perHour: 1000 }]],
    ['databaseUrl', 'postgresql:///x?host=/run/postgresql', 'postgresql:///x?host=/run/postgresql'],
    ['clickhouseUrl', 'http://u:p@ch:8123/clicks', 'http://u:p@ch:8123/clicks'],
    ['clickhouseUrl', 'https://ch.example.com', 'https://ch.example.com'],
    ['clickhouseCluster', 'analytics-2', 'analytics-2'],
    ['s3Url', 'https://k:s%2F@s3.example.com/bucket', 'https://k:s%2F@s3.example.com/bucket'],
    [
      's3Url',
      'http://k:s@127.0.0.1:9000/bucket/a/b?region=eu-central-1&style=virtual',
      'http://k:s@127.0.0.1:9000/bucket/a/b?region=eu-central-1&style=virtual',
    ],
    ['trustProxy', '2', 2],
    ['durability', 'full', 'full'],
    ['clickRetention', '400', 400],
    ['linkHistoryDays', '90', 90],
    [
      'nsqdTcpAddresses',
      'NSQD.example.com:4150,127.0.0.1:4150,[::1]:4150',
      ['nsqd.example.com:4150', '127.0.0.1:4150', '[::1]:4150'],
    ],
    [
      'nsqdHttpAddresses',
      '10.0.0.1:4151,https://nsqd.example.com:4152/',
      ['http://10.0.0.1:4151', 'https://nsqd.example.com:4152'],
    ],
    ['nsqlookupdHttpAddresses', 'nsqlookupd:4161', ['http://nsqlookupd:4161']],
    ['redirectCacheSize', '100', 100],
    ['logLevel', 'silent', 'silent'],
    ['logFormat', 'pretty', 'pretty'],
    ['adminLogin', 'ada@example.com', 'ada@example.com'],
    ['adminPassword', '12345678', '12345678'],
    ['adminToken', 'a'.repeat(40), 'a'.repeat(40)],
    ['adminToken', 'A_-0'.repeat(5), 'A_-0'.repeat(5)],
  ]
  it.each(good)('%s accepts %s', (name, text, value) => {
    expect(load({ flags: { [flagOf(name)]: text } })[name]).toEqual(value)
    expect(load({ env: { [variableOf(name)]: text } })[name]).toEqual(value)
    file({ [name]: text })
    expect(load()[name]).toEqual(value)
  })

  const bad: [keyof Given, string][] = [
    ['port', '0'],
    ['port', '65536'],
    ['port', '80a'],
    ['port', '-1'],
    ['port', '1e3'],
    ['port', ' 80'],
    ['host', 'not a host'],
    ['host', 'http://localhost'],
    ['baseUrl', 'links.example.com'],
    ['baseUrl', 'ftp://links.example.com'],
    ['baseUrl', 'https://links.example.com/path'],
    ['baseUrl', 'https://links.example.com/?a=1'],
    ['baseUrl', 'https://links.example.com?'],
    ['baseUrl', 'https://links.example.com/#'],
    ['baseUrl', 'https://me:secret@links.example.com'],
    ['domains', 'go.example.com/'],
    ['domains', 'https://go.example.com'],
    ['domains', 'go.example.com,'],
    ['domains', 'go.example.com,GO.example.com'],
    ['domains', 'go..example.com'],
    ['domains', '-go.example.com'],
    ['domains', 'go_.example.com'],
    ['domains', 'go.example.com:0'],
    ['domains', 'go.example.com:70000'],
    ['domains', 'me@go.example.com'],
    ['domains', '1.2'],
    ['dnsTargets', 'links.example.com:80'],
    ['dnsTargets', 'https://links.example.com'],
    ['dnsTargets', '203.0.113.7,'],
    ['nsqdTcpAddresses', 'nsqd.example.com'],
    ['nsqdTcpAddresses', 'nsqd.example.com:0'],
    ['nsqdTcpAddresses', 'nsqd.example.com:4150,NSQD.example.com:4150'],
    ['nsqdTcpAddresses', 'tcp://nsqd.example.com:4150'],
    ['nsqdTcpAddresses', '[nsqd]:4150'],
    ['nsqdTcpAddresses', '::1:4150'],
    ['nsqdHttpAddresses', 'nsqd.example.com:4151/stats'],
    ['nsqdHttpAddresses', 'http://me:secret@nsqd.example.com:4151'],
    ['nsqdHttpAddresses', 'nsqd.example.com:4151,http://nsqd.example.com:4151'],
    ['nsqlookupdHttpAddresses', 'nsqlookupd:4161,'],
    ['nsqdAuthSecret', 'short'],
    ['nsqdAuthSecret', 'a/secret/with/slashes'],
    ['dnsServers', 'dns.example.com'],
    ['dnsServers', '127.0.0.1:0'],
    ['dnsServers', '[127.0.0.1]:53'],
    ['dataDir', ' '],
    ['databaseUrl', 'mysql://u:p@db/x'],
    ['redisUrl', 'http://redis.example'],
    ['endpointLimits', '/v4/shorten=1000'],
    ['endpointLimits', 'POST /v4/shorten'],
    ['endpointLimits', 'POST /v4/shorten=1,POST /v4/shorten=2'],
    ['apiConnections', '-1'],
    ['outgoingAllow', 'example.com'],
    ['outgoingAllow', '10.0.0.0/33'],
    ['outgoingAllow', '10.0.0.0/8,10.0.0.0/8'],
    ['linkWord', 'Bitlink'],
    ['linkWord', 'bit_link'],
    ['linkWord', 'shortlink'],
    ['linkWord', 'bitlink,bitlink'],
    ['corsOrigins', 'https://app.example.com/path'],
    ['corsOrigins', 'app.example.com'],
    ['corsOrigins', '*,https://app.example.com'],
    ['corsOrigins', 'https://*.example.com'],
    ['corsOrigins', 'https://app.example.com,https://app.example.com:443'],
    ['networkConnections', '10.0.0.0/8'],
    ['networkConnections', '10.0.0.0/33=5'],
    ['networkConnections', 'example.com=5'],
    ['networkConnections', '10.0.0.0/8=5,10.0.0.0/8=6'],
    ['defaultPlan', 'a plan'],
    ['databaseUrl', 'db.example.com'],
    ['clickhouseUrl', 'clickhouse://u:p@ch:9000/clicks'],
    ['s3Url', 's3://k:s@s3.example.com/bucket'],
    ['s3Url', 'https://s3.example.com/bucket'],
    ['s3Url', 'https://k@s3.example.com/bucket'],
    ['s3Url', 'https://k:s@s3.example.com'],
    ['s3Url', 'https://k:s@s3.example.com/-no-bucket'],
    ['s3Url', 'https://k:s@s3.example.com/bucket?key=x'],
    ['s3Url', 'https://k:s@s3.example.com/bucket?style=other'],
    ['s3Url', 'https://k:s@s3.example.com/bucket?region='],
    ['s3Url', 'https://k:s@s3.example.com/bucket#x'],
    ['s3Url', 'https://k:100%@s3.example.com/bucket'],
    ['clickhouseUrl', 'http://ch:8123/a/b'],
    ['clickhouseUrl', 'http://ch:8123/clicks?password=x'],
    ['clickhouseCluster', 'a`b'],
    ['trustProxy', 'true'],
    ['durability', 'Full'],
    ['clickRetention', '0'],
    ['linkHistoryDays', '0'],
    ['geography', 'a.mmdb,,b.mmdb'],
    ['redirectCacheSize', '99'],
    ['logLevel', 'verbose'],
    ['adminLogin', 'Ada'],
    ['adminLogin', 'a'.repeat(65)],
    ['adminPassword', '1234567'],
    ['adminToken', 'a'.repeat(19)],
    ['adminToken', `${'a'.repeat(30)} `],
  ]
  it.each(bad)('%s refuses %j and says what is allowed', (name, text) => {
    const [problem, ...others] = problemsOf({ env: { [variableOf(name)]: text } })
    expect(others).toEqual([])
    expect(problem).toContain(`${name} (--${flagOf(name)}, ${variableOf(name)})`)
    expect(problem).toContain(`Allowed: ${options[name].kind.allowed}`)
  })

  it('drops the port that belongs to the scheme of the base URL', () => {
    const flags = { 'base-url': 'https://api.example.com', domains: 'a.example:443,b.example:80' }
    expect(load({ flags })).toMatchObject({ domains: ['a.example', 'b.example:80'], anyHost: false })
  })

  it('a base URL names the default domain', () => {
    expect(load({ flags: { 'base-url': 'https://go.example.com' } })).toMatchObject({
      domains: ['go.example.com'],
      anyHost: true,
    })
    expect(load({ flags: { port: '80' } })).toMatchObject({ baseUrl: 'http://localhost', domains: ['localhost'] })
  })

  it('a file may hold numbers and lists, each where it belongs', () => {
    file({ port: 9000, domains: ['a.example', 'b.example'] })
    expect(load()).toMatchObject({ port: 9000, domains: ['a.example', 'b.example'] })
    file({
      port: [9000],
      domains: ['a,b'],
      host: 1,
      dataDir: null,
      durability: true,
      redirectCacheSize: 1.5,
      logLevel: {},
    })
    expect(problemsOf({})).toHaveLength(7)
  })
})

describe('problems', () => {
  it('are reported all at once, those of the command line first', () => {
    file({ prot: 1, durability: 'none' })
    const problems = problemsOf({
      flags: { 'log-level': 'loud' },
      env: { SHORTLINK_PORT: 'http', SHORTLINK_DOMAIN: 'x' },
      problems: ['Unknown flag --foo.'],
    })
    expect(problems).toEqual([
      'Unknown flag --foo.',
      'Unknown environment variable SHORTLINK_DOMAIN. Did you mean SHORTLINK_DOMAINS?',
      `Unknown option "prot" in ${join(cwd, 'shortlink.config.json')}. Did you mean port?`,
      'port (--port, SHORTLINK_PORT): "http" (from SHORTLINK_PORT) is not allowed. Allowed: a whole number from 1 to 65535.',
      expect.stringContaining(`"none" (from "durability" in ${join(cwd, 'shortlink.config.json')})`),
      expect.stringContaining('"loud" (from --log-level) is not allowed'),
    ])
  })

  it('read as one sentence when there is one, as a list when there are more', () => {
    expect(new ConfigProblems(['One.']).message).toBe('One.')
    expect(new ConfigProblems(['One.', 'Two.']).message).toBe('There are 2 problems:\n  - One.\n  - Two.')
  })

  it('never show a secret', () => {
    file('{ "adminPassword": hunter2 }')
    const text = problemsOf({
      env: {
        SHORTLINK_ADMIN_PASSWORD: 'hunter2',
        SHORTLINK_ADMIN_TOKEN: 'hunter2',
        SHORTLINK_DATABASE_URL: 'mysql://u:hunter2@db/x?password=hunter2',
      },
    }).join('\n')
    expect(text).not.toContain('hunter2')
    expect(text).toContain('mysql://u:********@db/x')
    expect(text).toContain('is not valid JSON')
  })

  it.each([
    ['SHORTLINK_BASE_URL', 'https://me:hunter2@links.example.com', 'https://me:********@links.example.com'],
    ['SHORTLINK_BASE_URL', 'links.example.com', '"links.example.com"'],
    ['SHORTLINK_SMS_GATEWAY_URL', 'https://me:hunter2@sms.example.com/', 'https://me:********@sms.example.com/'],
    ['SHORTLINK_SMS_GATEWAY_URL', 'ftp://sms.example.com/?apiKey=hunter2&a=b', '/?apiKey=********&a=b'],
    [
      'SHORTLINK_NSQD_HTTP_ADDRESSES',
      'http://a:hunter2@x,http://b:hunter2@y',
      'http://a:********@x,http://b:********@y',
    ],
    ['SHORTLINK_BASE_URL', 'https:me:hunter2@links.example.com', '********'],
    ['SHORTLINK_DATABASE_URL', 'u:hunter2@h/db', '********'],
    ['SHORTLINK_DATABASE_URL', 'postgres:u:hunter2@h/db', '********'],
    ['SHORTLINK_DATABASE_URL', 'mysql://u:hunter2@a:1,b:2/x', 'mysql://u:********@a:1/x or mysql://u:********@b:2/x'],
    ['SHORTLINK_DATABASE_URL', 'postgres://u:1,n/hunter2@a/x', '********'],
    ['SHORTLINK_SMTP_URL', 'smtp:u:hunter2@h', '********'],
    ['SHORTLINK_REDIS_URL', 'redis:hunter2@h', '********'],
    ['SHORTLINK_BACKUP_TO', 'https:AK:hunter2@h/b', '********'],
    ['SHORTLINK_S3_URL', 'https://key:hunter2@s3.example.com/', 'https://key:********@s3.example.com/'],
    ['SHORTLINK_DATABASE_URL', 'mysql://db/x?sslpassword=hunter2', 'mysql://db/x?sslpassword=********'],
  ])('never show a password in %s, which is %s', (name, value, shownAs) => {
    const text = problemsOf({ env: { [name]: value } }).join('\n')
    expect(text).not.toContain('hunter2')
    expect(text).toContain(shownAs)
  })

  it('none in a file that begins with the mark of some editors', () => {
    file('\ufeff{ "port": 9000 }')
    expect(load().port).toBe(9000)
  })

  it.each([
    ['{', 'is not valid JSON'],
    ['[]', 'must contain one JSON object'],
    ['null', 'must contain one JSON object'],
  ])('a file that holds %j', (content, message) => {
    file(content)
    expect(problemsOf({})).toEqual([expect.stringContaining(message)])
  })

  it('a named file must be there', () => {
    expect(problemsOf({ flags: { config: 'nowhere.json' } })).toEqual([
      expect.stringContaining('Cannot read the configuration file'),
    ])
  })

  it('unknown flags are refused here too', () => {
    expect(problemsOf({ flags: { 'data-dri': 'x' } })).toEqual(['Unknown flag --data-dri. Did you mean --data-dir?'])
  })
})

describe('a secret in a file of its own', () => {
  it.each(optionNames.filter((name) => options[name].secret))('can be %s', (name) => {
    const path = file(`${options[name].example}\n`, 'secret')
    const variable = `${variableOf(name)}_FILE`
    const { config, sources } = loadSettings({ flags: {}, env: { [variable]: path }, cwd })
    expect(config[name]).toBe(options[name].example)
    expect(sources[name]).toEqual({ from: 'environment', name: variable })
  })

  it('is found from the working directory, with any end of the line, and gives way to a flag', () => {
    file('\ufefftwenty-letters-or-more\r\n', 'secret')
    const env = { SHORTLINK_OPS_TOKEN_FILE: './secret' }
    expect(load({ env }).opsToken).toBe('twenty-letters-or-more')
    expect(load({ env, flags: { 'ops-token': 'another-with-twenty-letters' } }).opsToken).toBe(
      'another-with-twenty-letters',
    )
  })

  it('has one clear problem when the file cannot be used, and is never shown', () => {
    expect(problemsOf({ env: { SHORTLINK_OPS_TOKEN_FILE: './nowhere' } })).toEqual([
      expect.stringMatching(/^SHORTLINK_OPS_TOKEN_FILE: cannot read the file .*nowhere \(ENOENT/),
    ])
    const path = file('\n', 'empty')
    expect(problemsOf({ env: { SHORTLINK_OPS_TOKEN_FILE: path } })).toEqual([
      `SHORTLINK_OPS_TOKEN_FILE: the file ${path} is empty. Write the secret into it.`,
    ])
    const [problem] = problemsOf({ env: { SHORTLINK_OPS_TOKEN_FILE: file('hunter2', 'short') } })
    expect(problem).toContain('"********" (from SHORTLINK_OPS_TOKEN_FILE) is not allowed')
  })

  it('cannot come from two places, and only secrets can', () => {
    const env = {
      SHORTLINK_OPS_TOKEN: 'twenty-letters-or-more',
      SHORTLINK_OPS_TOKEN_FILE: file('x'.repeat(20), 'secret'),
    }
    expect(problemsOf({ env })).toEqual([
      'SHORTLINK_OPS_TOKEN and SHORTLINK_OPS_TOKEN_FILE are both set. Remove one of them.',
    ])
    expect(problemsOf({ env: { SHORTLINK_PORT_FILE: './port' } })).toEqual([
      'Unknown environment variable SHORTLINK_PORT_FILE. Only secrets can come from a file.',
    ])
  })
})

describe('an option that had another name', () => {
  it('is still understood by it, as a flag, a variable and in a file', () => {
    expect(load({ flags: { targets: '100' } }).redirectCacheSize).toBe(100)
    expect(load({ env: { SHORTLINK_TARGETS: '200' } }).redirectCacheSize).toBe(200)
    file({ targets: 300 })
    expect(load().redirectCacheSize).toBe(300)
  })
})
