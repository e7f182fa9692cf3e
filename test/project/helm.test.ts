/** The chart in deploy/helm, for the sets of values in its folder `ci`; `-u` renews the expected objects and the table of the docs. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Config, OptionName } from '../../src/config/config.js'
import { loadSettings } from '../../src/config/load.js'
import { optionNames, options } from '../../src/config/options.js'
import { deployTools } from '../support/deploy-tools.js'
import { valuesIn, valueTable } from './helm/values-of.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const chart = join(root, 'deploy/helm/shortlink')
const read = (file: string) => readFileSync(join(chart, file), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const sets = readdirSync(join(chart, 'ci')).map((file) => file.replace('.yaml', ''))
const expected = (set: string) => join(root, `test/project/helm/${set}.expected.yaml`)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-helm-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { helm, kubeconform, 'kube-score': kubeScore, 'kubernetes-schemas': kubernetesSchemas } = deployTools()
const reason = [helm, kubeconform, kubeScore, kubernetesSchemas].flatMap((tool) => ('skip' in tool ? [tool.skip] : []))

function run(tool: typeof helm, args: readonly string[], input = '') {
  if ('skip' in tool) throw new Error(tool.skip)
  // Helm looks for plugins and repositories of its user.
  const env = { PATH: process.env.PATH, HOME: folder }
  const { status, stdout, stderr } = spawnSync(tool.program, args, { env, input, encoding: 'utf8' })
  return { status, stdout, output: stdout + stderr }
}

const valuesFile = (set: string) => ['--values', join(chart, 'ci', `${set}.yaml`)]

/** Without it, helm takes the version that it was built with, which is that of a release alone. */
const kubernetes = '--kube-version=1.34.0'

function objectsOf(set: string) {
  const { status, stdout, output } = run(helm, [
    'template',
    'shortlink',
    chart,
    '--namespace=links',
    kubernetes,
    ...valuesFile(set),
  ])
  expect(status, output).toBe(0)
  return stdout
}

describe.skipIf(reason.length > 0)(`the chart${reason.length > 0 ? ` (skipped: ${reason[0]})` : ''}`, () => {
  describe.each(sets)('with the values of ci/%s.yaml', (set) => {
    it('passes helm lint', () => {
      const { status, output } = run(helm, ['lint', '--strict', chart, ...valuesFile(set)])
      expect(status, output).toBe(0)
      expect(output).not.toMatch(/\[(WARNING|ERROR)\]/)
    })

    it('makes the expected objects', async () => {
      // Described elsewhere: the alerts, and the version.
      const alerts = read('alerts.yml')
        .trim()
        .replaceAll(/^(?=.)/gm, '  ')
      const objects = objectsOf(set).replace(alerts, '  ALERTS').replaceAll(version, 'VERSION')
      await expect(objects.replaceAll(/(checksum\/options: )\w+/g, '$1CHECKSUM')).toMatchFileSnapshot(expected(set))
    })

    it('makes objects that Kubernetes knows', () => {
      const { status, output } = checkObjects(objectsOf(set))
      expect(status, output).toBe(0)
      expect(output).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/)
    })

    it('makes objects that kube-score finds nothing against', () => {
      const { status, output } = run(kubeScore, ['score', ...scoring, '-'], objectsOf(set))
      expect(status, output).toBe(0)
      expect(output).not.toMatch(/\[(CRITICAL|WARNING)\]/)
    })
  })

  it('would not pass with a field that Kubernetes does not know, or without one that it needs', () => {
    const objects = objectsOf('single')
    const unknown = checkObjects(objects.replace('enableServiceLinks:', 'enableServiceLink:'))
    expect(unknown).toMatchObject({ status: 1, output: expect.stringMatching(/StatefulSet.*enableServiceLink/s) })
    expect(checkObjects(objects.replace('containerPort: 9090', 'hostPort: 9090'))).toMatchObject({ status: 1 })
    expect(checkObjects(objects.replace('apps/v1', 'apps/v1beta1'))).toMatchObject({ status: 1 })
  })

  it.each([
    ['no base URL', ['options.baseUrl='], /Set options\.baseUrl to the public address/],
    [
      'several pods with SQLite',
      ['replicas=2'],
      /set secrets\.databaseUrl, secrets\.clickhouseUrl, secrets\.redisUrl, or/,
    ],
    ['an autoscaler with SQLite', ['autoscaling.enabled=true'], /More than one pod needs PostgreSQL/],
    ['an end before the service has drained', ['preStopSeconds=40'], /at least 25 more than preStopSeconds/],
    ['monitoring without a token', ['serviceMonitor.enabled=true'], /needs secrets\.opsToken/],
    [
      'a way past the Ingress',
      ['ingress.enabled=true', 'service.type=LoadBalancer'],
      /visitors who come past the Ingress/,
    ],
    ['an unknown option', ['options.baseUri=https://links.example.com'], /baseUri/],
    ['a secret as an option', ['options.databaseUrl=postgres://db'], /databaseUrl/],
    ['an unknown value', ['replicaCount=2'], /replicaCount/],
  ])('refuses %s', (_, settings, message) => {
    const given = settings.flatMap((setting) => ['--set', setting])
    const { status, output } = run(helm, ['template', chart, kubernetes, ...valuesFile('single'), ...given])
    expect(status).toBe(1)
    expect(output).toMatch(message)
  })

  it('refuses a stream of each pod', () => {
    const given = ['--set', 'options.nsqdPort=4150']
    const { status, output } = run(helm, ['template', chart, kubernetes, ...valuesFile('several'), ...given])
    expect(status).toBe(1)
    expect(output).toMatch(/use nsqd daemons/)
  })

  it('has the alerts of Prometheus in its rule', () => {
    expect(objectsOf('several')).toContain('- alert: ShortlinkProcessDown')
  })

  let schemas: string | undefined
  function checkObjects(objects: string) {
    if (schemas === undefined) {
      const made = run(kubernetesSchemas, [folder])
      expect(made.status, made.output).toBe(0)
      for (const kind of ['servicemonitor', 'prometheusrule']) {
        copyFileSync(join(root, `test/project/helm/${kind}.json`), join(folder, `${kind}.json`))
      }
      schemas = `${folder}/{{.ResourceKind}}.json`
    }
    return run(kubeconform, ['-strict', '-summary', '-schema-location', schemas, '-'], objects)
  }
})

/** Checks that do not fit, and why. */
const scoring = [
  // A limit would delay redirects while the processor is idle.
  '--ignore-container-cpu-limit',
  // Always would need the registry for every start; versions have tags of their own.
  '--ignore-test=container-image-pull-policy',
  // topologySpreadConstraints spread the pods.
  '--ignore-test=statefulset-has-host-podantiaffinity',
]

describe('the options of the chart', () => {
  it.each(sets)('are a configuration of the service, in the values of ci/%s.yaml', (set) => {
    const given = [...readFileSync(expected(set), 'utf8').matchAll(/^ {2}(SHORTLINK_\w+): "?(.*?)"?$/gm)]
    const env = Object.fromEntries(given.map(([, name = '', text = '']) => [name, asFile(text)]))
    const { config } = loadSettings({ flags: {}, env, cwd: folder })
    expect(config).toMatchObject({
      dataDir: '/data/shortlink',
      baseUrl: expect.stringContaining('https://links.example.com'),
      opsHost: '0.0.0.0',
      opsPort: 9090,
      ...(configs[set] ?? {}),
    })
  })

  const secretsOf: Partial<Record<OptionName, string>> = {
    databaseUrl: 'postgres://shortlink@db/shortlink',
    clickhouseUrl: 'http://clickhouse:8123/shortlink',
    redisUrl: 'redis://redis:6379',
    s3Url: 'https://KEY:SECRET@s3.example.com/bucket?region=eu-central-1',
  }
  /** A path of a secret in the pod becomes a file here. */
  function asFile(text: string): string {
    const [, option] = /^\/run\/secrets\/shortlink\/(\w+)$/.exec(text) ?? []
    if (option === undefined) return text
    const file = join(folder, option)
    writeFileSync(file, secretsOf[option as OptionName] ?? 'a-secret-of-more-than-twenty-letters')
    return file
  }

  const configs: Readonly<Record<string, Partial<Config>>> = {
    single: { databaseUrl: undefined, trustProxy: 0, nsqdPort: 4150, nsqdHost: '0.0.0.0', passwordLogin: 'on' },
    several: {
      domains: ['s.example.com', 's.example.org'],
      databaseUrl: secretsOf.databaseUrl ?? '',
      redirectCacheSize: 1_000_000,
      titles: 'off',
      trustProxy: 1,
    },
    autoscaled: { trustProxy: 2 },
  }

  it('are those of the service', () => {
    const { properties } = schema()
    // The chart sets these itself, and a demo shows its password.
    const own: readonly OptionName[] = ['dataDir', 'opsPort', 'demo']
    const isSecret = (name: OptionName) => options[name].secret === true
    const plain = optionNames.filter((name) => !isSecret(name) && !own.includes(name))
    expect([...(properties.options?.propertyNames?.enum ?? [])].sort()).toEqual([...plain].sort())
    expect([...(properties.secrets?.propertyNames?.enum ?? [])].sort()).toEqual(optionNames.filter(isSecret).sort())
  })
})

it('the chart has the version of the program', () => {
  expect(read('Chart.yaml').match(/^(?:version|appVersion): .*$/gm)).toEqual([
    `version: ${version}`,
    `appVersion: ${version}`,
  ])
})

it('every value has a comment, and the schema knows all of them', () => {
  const values = valuesIn(read('values.yaml'))
  expect(values.length).toBeGreaterThan(40)
  expect(values.filter(({ comment }) => comment === '').map(({ path }) => path)).toEqual([])
  const known = Object.entries(schema().properties).flatMap(([name, { properties }]) =>
    properties === undefined || name === 'resources' ? [name] : Object.keys(properties).map((key) => `${name}.${key}`),
  )
  expect(values.map(({ path }) => path).sort()).toEqual(known.filter((name) => name !== 'global').sort())
})

it('docs/kubernetes.md has a table of all values', async () => {
  const page = join(root, 'docs/kubernetes.md')
  const table = valueTable(valuesIn(read('values.yaml')))
  const text = readFileSync(page, 'utf8').replace(/^\| value \|[\s\S]*?\n\n/m, () => `${table}\n\n`)
  expect(text).toContain(table)
  await expect(text).toMatchFileSnapshot(page)
})

interface SchemaPart {
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly propertyNames?: { readonly enum: readonly string[] }
}

function schema() {
  return JSON.parse(read('values.schema.json')) as { readonly properties: Readonly<Record<string, SchemaPart>> }
}
