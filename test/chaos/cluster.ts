/**
 * Three processes of the service, PostgreSQL, ClickHouse, Redis, two nsqd with nsqlookupd, and nginx in front, with a path of
 * its own between each two of them. A process that ends is started again, as a supervisor does.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startNsqlookupd, startRealNsqd } from '../stream/nsq-daemons.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { setClock, whyNoFakeClock, withClockFrom } from '../support/fake-clock.js'
import { freePort } from '../support/free-port.js'
import { OwnServer } from '../support/own-server.js'
import { PostgresServer } from '../support/postgres-server.js'
import { RedisServer } from '../support/redis-server.js'
import { runCommand } from '../support/run-command.js'
import { type ServiceProcess, startProcess } from '../support/start-process.js'
import { ask, host } from './ask.js'
import { NetworkPath } from './network-path.js'
import { type Fault, pathNames, services } from './schedule.js'

export const whyNoNginx: string | undefined = spawnSync('nginx', ['-v']).error
  ? 'no nginx is installed (on Debian: nginx-light)'
  : undefined

/** Only where it is asked for: libfaketime makes a process hang now and then when it ends. */
const setsClocks = process.env.CHAOS_CLOCKS === 'on' && whyNoFakeClock === undefined

export interface Programs {
  readonly nsqd: string
  readonly nsqlookupd: string
}

/** What faults do to it. `halt` is the regular end. */
interface Party {
  kill(): Promise<unknown>
  halt?(): Promise<unknown>
  start(): Promise<unknown>
  freeze?(frozen: boolean): void
  fillDisk?(full: boolean): void
  /** Seconds from the real time. */
  setClock?(offset: number): void
}

export class Cluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'shortlink-chaos-'))
  /** What should never happen. */
  readonly problems: string[] = []
  readonly ports: number[] = []
  databaseUrl = ''
  clickhouseUrl = ''
  lookupd = ''
  frontPort = 0
  /** By process: how often it was started. */
  readonly starts = [0, 0, 0]
  #redisUrl = ''
  readonly #services = new Map<string, SupervisedService>()
  readonly #parties = new Map<string, Party>()
  readonly #paths = new Map<string, NetworkPath>()
  readonly #turns = new Map<string, Promise<void>>()
  /** In reverse order. */
  readonly #closing: (() => Promise<unknown>)[] = []

  static async start(programs: Programs, flags: (folder: string) => readonly string[]): Promise<Cluster> {
    const cluster = new Cluster()
    try {
      await cluster.#startEngines(programs)
      await cluster.#startServices(flags(cluster.folder))
      await cluster.#startNginx()
    } catch (error) {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  /** Resolves when the fault is over. False: left out, because one of the same party is not over yet. */
  async apply({ kind, on, lasts, offset }: Fault): Promise<boolean> {
    if (kind === 'upgrade') {
      for (const service of services) {
        await this.#turns.get(service)
        await this.apply({ kind: 'restart', on: service, after: 0, lasts: 0, offset: 0 })
      }
      return true
    }
    if (this.#turns.has(on)) return false
    const party = this.#parties.get(on)
    const path = this.#paths.get(on)
    const begin = {
      kill: () => party?.kill(),
      freeze: () => party?.freeze?.(true),
      restart: () => party?.halt?.(),
      cut: () => path?.set('cut'),
      stall: () => path?.set('stalled'),
      slow: () => path?.set('slow'),
      'fill disk': () => party?.fillDisk?.(true),
      'set clock': () => party?.setClock?.(offset),
    }[kind]
    const end = async () => {
      path?.set('open')
      if (kind === 'freeze') party?.freeze?.(false)
      else if (kind === 'fill disk') party?.fillDisk?.(false)
      else if (kind === 'set clock') party?.setClock?.(0)
      else await party?.start()
    }
    const work = async () => {
      await begin()
      await wait(lasts)
      await end()
      this.#turns.delete(on)
    }
    const turn = work()
    this.#turns.set(on, turn)
    await turn
    return true
  }

  /** Waits until every process has delivered its clicks. Answers how many they could not record, on a full disk. */
  async settled(): Promise<number> {
    let lost = 0
    for (const [index, port] of this.ports.entries()) {
      const deadline = Date.now() + 300_000
      for (;;) {
        const readiness = (await ask(port, '/readyz', { anonymous: true, headers: { host: 'localhost' } }))?.body
        if (readiness?.journal?.backlogRows === 0) {
          lost += readiness.journal.lostEver
          break
        }
        if (Date.now() > deadline) {
          this.problems.push(`${services[index]} does not deliver its clicks: ${JSON.stringify(readiness)}`)
          break
        }
        await wait(100)
      }
    }
    return lost
  }

  /** What the processes said, in a folder that stays. */
  writeLogs(): string {
    const folder = mkdtempSync(join(tmpdir(), 'shortlink-chaos-logs-'))
    for (const [name, service] of this.#services) writeFileSync(join(folder, `${name}.log`), service.log())
    return folder
  }

  async stop(): Promise<void> {
    for (const close of this.#closing.reverse()) await close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #startEngines({ nsqd, nsqlookupd }: Programs): Promise<void> {
    // Commits survive a crash of the server, as they do where people run it.
    const postgres = new PostgresServer({ synchronous_commit: 'on' })
    this.#closing.push(() => postgres.stop())
    this.databaseUrl = await postgres.start()
    this.#parties.set('postgres', {
      kill: () => postgres.halt('SIGQUIT'),
      halt: () => postgres.halt(),
      start: () => postgres.resume(),
      freeze: (frozen) => postgres.freeze(frozen),
    })
    const clickhouse = new ClickhouseServer()
    this.#closing.push(() => clickhouse.stop())
    this.clickhouseUrl = await clickhouse.newDatabase()
    this.#parties.set('clickhouse', {
      kill: () => clickhouse.kill(),
      start: () => clickhouse.restart(),
      freeze: (frozen) => clickhouse.freeze(frozen),
    })
    const redis = await RedisServer.start()
    this.#redisUrl = redis.url
    this.#closing.push(() => redis.stop())
    this.#parties.set('redis', {
      kill: () => redis.kill(),
      start: () => redis.run(),
      freeze: (frozen) => redis.freeze(frozen),
    })
    const lookupd = await startNsqlookupd(nsqlookupd)
    this.#closing.push(() => lookupd.stop())
    this.lookupd = lookupd.http.replace('http://', '')
    const daemons = await Promise.all([1, 2].map(() => startRealNsqd(nsqd, { lookupd, flags: ['--sync-every=2500'] })))
    for (const [index, daemon] of daemons.entries()) {
      this.#closing.push(() => daemon.stop())
      this.#parties.set(`nsqd-${index + 1}`, { ...daemon, start: () => daemon.restart() })
    }
    for (const name of pathNames.filter((name) => name.startsWith('service'))) {
      const engine = name.split('>')[1] ?? ''
      const target = {
        postgres: this.databaseUrl,
        clickhouse: this.clickhouseUrl,
        redis: redis.url,
        'nsqd-1': `tcp://${daemons[0]?.tcp}`,
        'nsqd-2': `tcp://${daemons[1]?.tcp}`,
      }[engine]
      await this.#openPath(name, Number(new URL(target ?? '').port))
    }
    const migrated = await runCommand(['migrate', '--database-url', this.databaseUrl])
    if (migrated.code !== 0) throw new Error(migrated.err)
  }

  async #startServices(flags: readonly string[]): Promise<void> {
    for (const [index, name] of services.entries()) {
      const port = await freePort()
      this.ports.push(port)
      const path = (engine: string) => this.#path(`${name}>${engine}`)
      const nsqds = ['nsqd-1', 'nsqd-2'].map((daemon) => `127.0.0.1:${path(daemon).port}`)
      const all = [
        ...['--base-url', `http://${host}`, '--database-url', path('postgres').urlOf(this.databaseUrl)],
        ...['--clickhouse-url', path('clickhouse').urlOf(this.clickhouseUrl)],
        ...['--redis-url', path('redis').urlOf(this.#redisUrl), '--nsqd-tcp-addresses', nsqds.join(',')],
        ...['--outgoing-allow', '127.0.0.0/8', ...flags],
      ]
      const service = new SupervisedService(join(this.folder, name), all, port, (problem) =>
        this.problems.push(`${name} ${problem}`),
      )
      this.#closing.push(() => service.close())
      this.#services.set(name, service)
      this.#parties.set(name, {
        kill: () => service.kill(),
        halt: () => service.halt(),
        freeze: (frozen) => service.freeze(frozen),
        fillDisk: (full) => service.fillDisk(full),
        setClock: (offset) => service.setClock(offset),
        start: async () => {
          this.starts[index] = (this.starts[index] ?? 0) + 1
          await service.start()
        },
      })
    }
    // One after the other: the first creates the user.
    for (const name of services) await this.#parties.get(name)?.start()
  }

  async #startNginx(): Promise<void> {
    for (const [index, name] of services.entries()) await this.#openPath(`nginx>${name}`, this.ports[index] ?? 0)
    const nginx = new NginxServer(
      await freePort(),
      services.map((name) => this.#path(`nginx>${name}`).port),
    )
    this.#closing.push(() => nginx.stop())
    this.#parties.set('nginx', { kill: () => nginx.kill(), start: () => nginx.run() })
    await nginx.run()
    this.frontPort = nginx.port
  }

  async #openPath(name: string, targetPort: number): Promise<void> {
    const path = await NetworkPath.to(targetPort)
    this.#paths.set(name, path)
    this.#closing.push(() => path.close())
  }

  #path(name: string): NetworkPath {
    const path = this.#paths.get(name)
    if (!path) throw new Error(`there is no path ${name}`)
    return path
  }
}

/** One process of the service on its data directory and port. */
class SupervisedService {
  readonly #dataDir: string
  readonly #flags: readonly string[]
  readonly #port: number
  readonly #onProblem: (problem: string) => void
  readonly #clock: string
  readonly #hasOwnDisk: boolean
  readonly #outputs: (() => string)[] = []
  #process: ServiceProcess | undefined
  #starting: Promise<void> | undefined
  // For a run that ends without tearing down, by Ctrl-C say.
  readonly #onExit = (): void => {
    this.#process?.child.kill('SIGKILL')
    if (this.#hasOwnDisk) spawnSync('umount', ['--lazy', this.#dataDir])
  }

  constructor(dataDir: string, flags: readonly string[], port: number, onProblem: (problem: string) => void) {
    this.#dataDir = dataDir
    this.#flags = flags
    this.#port = port
    this.#onProblem = onProblem
    this.#clock = `${dataDir}.clock`
    mkdirSync(dataDir)
    // Needs root. Without it, no disk is filled.
    this.#hasOwnDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dataDir]).status === 0
    process.once('exit', this.#onExit)
  }

  /** Again and again: without PostgreSQL, a first start fails, and says why. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #start(): Promise<void> {
    for (;;) {
      try {
        const clock = setsClocks ? withClockFrom(this.#clock) : ''
        this.#process = await startProcess(this.#dataDir, this.#flags, clock, this.#port)
        break
      } catch {
        await wait(500)
      }
    }
    const { child, output } = this.#process
    this.#outputs.push(output)
    child.once('exit', (code, signal) => {
      if (this.#process?.child !== child) return
      // A start fails when PostgreSQL goes away meanwhile.
      if (output().includes('"msg":"serving"'))
        this.#onProblem(`ended by itself with ${code ?? signal}:\n${output().slice(-2000)}`)
      void this.start()
    })
  }

  log(): string {
    return this.#outputs.map((output) => output()).join('--- started again\n')
  }

  kill(): Promise<unknown> {
    return this.#stop('SIGKILL')
  }

  /** Its exit code may be 1: what it had to write to a server that is away could not be written. */
  halt(): Promise<unknown> {
    return this.#stop('SIGTERM')
  }

  freeze(frozen: boolean): void {
    this.#process?.child.kill(frozen ? 'SIGSTOP' : 'SIGCONT')
  }

  fillDisk(full: boolean): void {
    if (!this.#hasOwnDisk) return
    const file = join(this.#dataDir, 'filler')
    if (full) spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=64k'])
    else rmSync(file)
  }

  setClock(offset: number): void {
    if (setsClocks) setClock(this.#clock, `${offset < 0 ? '' : '+'}${offset}s`)
  }

  async close(): Promise<void> {
    await this.kill()
    process.off('exit', this.#onExit)
    if (this.#hasOwnDisk) spawnSync('umount', ['--lazy', this.#dataDir])
  }

  async #stop(signal: NodeJS.Signals): Promise<void> {
    // After it ended by itself, it may be about to start.
    await this.#starting
    const service = this.#process
    this.#process = undefined
    await service?.stop(signal)
  }
}

class NginxServer extends OwnServer {
  readonly port: number

  constructor(port: number, upstreamPorts: readonly number[]) {
    super('nginx')
    this.port = port
    // Nothing is repeated: a visit that a dying process had recorded would be counted again by another one.
    writeFileSync(
      join(this.folder, 'nginx.conf'),
      `daemon off; master_process off; pid ${this.folder}/nginx.pid; error_log ${this.folder}/error.log;
       events { worker_connections 1024; }
       http { access_log off; client_body_temp_path ${this.folder}; proxy_temp_path ${this.folder}; fastcgi_temp_path ${this.folder};
              uwsgi_temp_path ${this.folder}; scgi_temp_path ${this.folder};
              upstream services { keepalive 16; ${upstreamPorts.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join(' ')} }
              server { listen 127.0.0.1:${port};
                       location / { proxy_pass http://services; proxy_http_version 1.1; proxy_set_header Connection "";
                                    proxy_set_header Host $http_host; proxy_connect_timeout 2s; proxy_read_timeout 8s;
                                    proxy_next_upstream off; } } }`,
    )
  }

  async run(): Promise<void> {
    const server = spawn('nginx', ['-c', join(this.folder, 'nginx.conf'), '-p', this.folder], { stdio: 'ignore' })
    await once(server, 'spawn')
    await this.answered(server, async () => (await ask(this.port, '/healthz', { anonymous: true })) !== undefined)
  }
}
