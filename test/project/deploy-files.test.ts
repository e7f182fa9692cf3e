import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load.js'
import { optionNames, options, variableOf } from '../../src/config/options.js'

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

it.each(['Dockerfile', 'deploy/compose.yml', 'deploy/shortlink.env', 'deploy/shortlink.service', 'deploy/README.md'])(
  '%s names only options that there are',
  (name) => {
    const named = [...read(name).matchAll(/\bSHORTLINK_[A-Z0-9_]+/g)].map(([variable]) => variable)
    expect(named.filter((variable) => !known.has(variable))).toEqual([])
  },
)

describe('deploy/compose.yml', () => {
  it('needs two variables', () => {
    const needed = [...read('deploy/compose.yml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
    expect(needed).toEqual(['API_HOST', 'SHORT_DOMAIN'])
  })

  // The first version, which Debian still has, does not know this format.
  const isCurrent = ([program = '', ...args]: string[]) =>
    /\bv?[2-9]\d*\.\d+\.\d+/.test(
      spawnSync(program, [...args, 'version', '--short'], { encoding: 'utf8' }).stdout ?? '',
    )
  const compose = [['docker', 'compose'], ['docker-compose']].find(isCurrent)
  it.skipIf(!compose)(`is understood by compose${compose ? '' : ' (skipped: docker compose is not installed)'}`, () => {
    const [program = '', ...args] = compose ?? []
    const file = ['-f', join(root, 'deploy/compose.yml'), 'config']
    const env = { PATH: process.env.PATH, API_HOST: 'links.example.com', SHORT_DOMAIN: 's.example.com' }
    const text = execFileSync(program, [...args, ...file], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    expect(text).toContain('SHORTLINK_BASE_URL: https://links.example.com')
    const without = spawnSync(program, [...args, ...file], { env: { PATH: process.env.PATH }, encoding: 'utf8' })
    expect(without.status).not.toBe(0)
    expect(without.stderr).toMatch(/set API_HOST to the host of the API/)
  })
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

    it('is a unit that systemd understands', () => {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
      expect(stderr.split('\n').filter((line) => line.includes('shortlink.service'))).toEqual([])
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
