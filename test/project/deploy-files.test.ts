import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load.js'
import { optionNames, options, variableOf } from '../../src/config/options.js'
import { deployTools } from '../support/deploy-tools.js'
import type { Tool } from '../support/deploy-tools-for-all.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const known = new Set([
  ...optionNames.map(variableOf),
  ...optionNames.filter((name) => options[name].secret).map((name) => `${variableOf(name)}_FILE`),
])

function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-deploy-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  'Dockerfile',
  'deploy/compose.yml',
  'deploy/compose.scaled.yml',
  'deploy/shortlink.env',
  'deploy/shortlink.service',
  'deploy/shortlink.socket',
  'deploy/README.md',
])('%s names only options that there are', (name) => {
  const named = [...read(name).matchAll(/\bSHORTLINK_[A-Z0-9_]+/g)].map(([variable]) => variable)
  expect(named.filter((variable) => !known.has(variable))).toEqual([])
})

const { 'load-compose': compose, 'evaluate-alerts': alerts } = deployTools()
const because = (tool: Tool) => ('skip' in tool ? ` (skipped: ${tool.skip})` : '')

const composeFiles = [
  { file: 'deploy/compose.yml', variables: { API_HOST: 'links.example.com', SHORT_DOMAIN: 's.example.com' } },
  {
    file: 'deploy/compose.scaled.yml',
    variables: {
      API_HOST: 'links.example.com',
      SHORT_DOMAIN: 's.example.com',
      ENGINE_PASSWORD: 'secret',
      SECRETS_KEY: 'twentyLettersAndDigits1',
      ADMIN_PASSWORD: 'correct horse battery staple',
    },
  },
]
describe.each(composeFiles)('$file', ({ file, variables }) => {
  it('needs the variables that it names', () => {
    const needed = [...read(file).matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
    expect(needed).toEqual(Object.keys(variables))
  })

  it.skipIf('skip' in compose)(`is understood by Compose, with its variables alone${because(compose)}`, () => {
    expect(Object.keys(composed(file, variables).services)).toContain('caddy')
    for (const name of Object.keys(variables)) {
      expect(() => composed(file, { ...variables, [name]: '' })).toThrow(`set ${name} to`)
    }
  })

  it.skipIf('skip' in compose)(`has a configuration of the service${because(compose)}`, () => {
    const { services } = composed(file, variables)
    const ours = Object.values(services).filter(({ image }) => image === 'shortlink')
    for (const { environment } of ours) {
      const { config } = loadSettings({ flags: {}, env: environment ?? {}, cwd: folder })
      expect(config).toMatchObject({ baseUrl: 'https://links.example.com', domains: ['s.example.com'], trustProxy: 1 })
    }
    expect(ours.length).toBeGreaterThan(0)
  })
})

it.skipIf('skip' in compose)(
  `deploy/compose.scaled.yml has three processes with the same engines and a data directory for each${because(compose)}`,
  () => {
    const { services } = composed('deploy/compose.scaled.yml', composeFiles.at(-1)?.variables ?? {})
    const processes = Object.entries(services).flatMap(([name, service]) =>
      name.startsWith('shortlink-') ? [service] : [],
    )
    expect(
      new Set(processes.map(({ volumes }) => volumes?.find(({ target }) => target === '/data')?.source)).size,
    ).toBe(3)
    expect(new Set(processes.map(({ environment }) => JSON.stringify(environment))).size).toBe(1)
    const { config } = loadSettings({ flags: {}, env: processes[0]?.environment ?? {}, cwd: folder })
    const hosts = [config.databaseUrl, config.clickhouseUrl, config.redisUrl, config.s3Url].map(
      (url) => new URL(url ?? '').hostname,
    )
    const daemons = config.nsqdHttpAddresses.map((url) => new URL(url).hostname)
    expect(Object.keys(services)).toEqual(expect.arrayContaining([...hosts, ...daemons]))
  },
)

interface Composed {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image?: string
        readonly environment?: Readonly<Record<string, string>>
        readonly volumes?: readonly { readonly source: string; readonly target: string }[]
      }
    >
  >
}

/** What Compose makes of the file. */
function composed(file: string, variables: Readonly<Record<string, string>>): Composed {
  if ('skip' in compose) throw new Error(compose.skip)
  const env = { PATH: process.env.PATH, ...variables }
  const { status, stdout, stderr } = spawnSync(compose.program, [join(root, file)], {
    env,
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout + stderr)
  return JSON.parse(stdout)
}

it.skipIf('skip' in alerts)(`the alerts fire when they should${because(alerts)}`, () => {
  if ('skip' in alerts) return
  const rules = join(root, 'deploy/helm/shortlink/alerts.yml')
  const evaluate = (file: string) => {
    const script = join(root, 'test/project/alerts/several-processes.promql')
    return spawnSync(alerts.program, [file, script], { encoding: 'utf8' })
  }
  const { status, stdout, stderr } = evaluate(rules)
  expect(status, stdout + stderr).toBe(0)
  // It can fail: one process down is not noticed without its alert.
  const without = join(folder, 'alerts.yml')
  writeFileSync(without, readFileSync(rules, 'utf8').replace('up == 0 and', 'up == 2 and'))
  expect(evaluate(without).status).toBe(1)
})

describe('deploy/shortlink.env', () => {
  it('is a configuration of the service', () => {
    const lines = read('deploy/shortlink.env')
      .split('\n')
      .filter((line) => /^SHORTLINK_/.test(line))
    const env = Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]))
    const { config } = loadSettings({ flags: {}, env, cwd: folder })
    expect(config).toMatchObject({ baseUrl: 'https://links.example.com', domains: ['s.example.com'], trustProxy: 1 })
  })
})

const analyze = has('systemd-analyze', '--version')
describe.skipIf(!analyze)(
  `deploy/shortlink.service${analyze ? '' : ' (skipped: systemd-analyze is not installed)'}`,
  () => {
    let unit: string
    beforeAll(() => {
      // The same unit with a program, a folder and a user that this machine has.
      unit = join(folder, 'shortlink.service')
      const text = read('deploy/shortlink.service')
        .replaceAll('/usr/bin/node', process.execPath)
        .replaceAll(/^(User|Group)=shortlink$/gm, '')
      writeFileSync(unit, text)
    })

    it('is a unit that systemd understands, with its socket', () => {
      const socket = join(folder, 'shortlink.socket')
      writeFileSync(socket, read('deploy/shortlink.socket'))
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit, socket], { encoding: 'utf8' })
      expect(stderr.split('\n').filter((line) => /shortlink\.(service|socket)/.test(line))).toEqual([])
      expect(status).toBe(0)
    })

    it('exposes little', () => {
      const given = [
        'security',
        '--offline=true',
        '--threshold=20',
        '--no-pager',
        join(root, 'deploy/shortlink.service'),
      ]
      const { status, stdout, stderr } = spawnSync('systemd-analyze', given, { encoding: 'utf8' })
      expect(status, stdout + stderr).toBe(0)
    })
  },
)

const caddy = has('caddy', 'version')
it.skipIf(!caddy)(
  `deploy/Caddyfile is valid with the variables of compose.yml${caddy ? '' : ' (skipped: caddy is not installed)'}`,
  () => {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      CADDY_API_HOST: 'links.example.com',
      CADDY_UPSTREAM: 'shortlink:8080',
    }
    const given = ['validate', '--config', join(root, 'deploy/Caddyfile'), '--adapter', 'caddyfile']
    const { status, stderr } = spawnSync('caddy', given, { env, encoding: 'utf8' })
    expect(status, stderr).toBe(0)
  },
)

it('the image has the folder, the user and the port that compose.yml and the README name', () => {
  const dockerfile = read('Dockerfile')
  expect(dockerfile).toMatch(/^USER 65532:65532$/m)
  expect(dockerfile).toMatch(/^VOLUME \/data$/m)
  expect(dockerfile).toMatch(/^EXPOSE 8080$/m)
  expect(read('deploy/compose.yml')).toContain('- data:/data')
  expect(read('deploy/compose.yml')).toContain('CADDY_UPSTREAM: shortlink:8080')
})
