/** A socket that a service manager keeps: connections wait in it while the service restarts. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { enginesWanted } from '../support/engines-wanted.js'
import { clicksIn, Load } from '../support/load.js'
import { PostgresServer, whyNoPostgresServer } from '../support/postgres-server.js'
import { rounds } from '../support/rounds.js'
import { runCommand } from '../support/run-command.js'
import { processToken, shortenAt } from '../support/start-process.js'

/** Opens a socket, and starts the program with it for each line that it reads, as systemd does. */
const manager = `
import os, socket, sys
held = socket.socket()
held.bind(("127.0.0.1", 0))
held.listen(4096)
port = str(held.getsockname()[1])
print(port, flush=True)
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(held.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=line.strip())
        os.execv(sys.argv[1], [*sys.argv[1:], "--port", port])
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
`
const noPostgres = enginesWanted().has('postgres') ? whyNoPostgresServer() : 'ENGINES leaves postgres out'
const hasPython = spawnSync('python3', ['--version']).status === 0

describe.skipIf(!hasPython)(
  `a given socket${hasPython ? '' : ' (skipped: python3 is not installed)'}`,
  {
    timeout: 300_000,
  },
  () => {
    let dataDir: string
    let running: ChildProcess
    let lines: AsyncIterator<string>
    let output = ''
    beforeEach(() => {
      dataDir = mkdtempSync(join(tmpdir(), 'shortlink-socket-'))
      output = ''
    })
    afterEach(async () => {
      running.stdin?.end()
      running.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    })

    const told = async () => Number((await lines.next()).value)

    /** Returns the URL of the socket. */
    async function open(...flags: readonly string[]): Promise<string> {
      const program = [process.execPath, 'dist/main.js', 'serve', '--data-dir', dataDir, ...flags]
      const env = { ...process.env, SHORTLINK_ADMIN_TOKEN: processToken, SHORTLINK_TITLES: 'off' }
      running = spawn('python3', ['-c', manager, ...program], { env })
      running.stderr?.on('data', (chunk) => (output += chunk))
      // What the service itself prints.
      const text = createInterface({ input: running.stdout as NodeJS.ReadableStream })
      lines = (async function* () {
        for await (const line of text) if (/^-?\d+$/.test(line)) yield line
      })()
      return `http://127.0.0.1:${await told()}`
    }

    /** Returns the process id of the service, which may not answer yet. */
    async function start(sockets = 1): Promise<number> {
      running.stdin?.write(`${sockets}\n`)
      return told()
    }

    it.each([[['--processes', '1']], [['--processes', '2']]])(
      'refuses and resets no connection while the service restarts, and every redirect is counted (%j)',
      async (flags) => {
        const url = await open(...flags)
        let service = await start()
        // Asked before it listens: the socket is there.
        const { path } = await shortenAt(url, 'https://example.com/waiting')
        const load = new Load(url + path)
        const stopped = new AbortController()
        const isOver = load.run(8, stopped.signal)
        for (let restart = 0; restart < 2 + rounds; restart++) {
          await load.reached(load.answered.size + 300)
          process.kill(service, 'SIGTERM')
          expect(await told(), output).toBe(0)
          service = await start()
        }
        await load.reached(load.answered.size + 300)
        stopped.abort()
        await isOver
        process.kill(service, 'SIGTERM')
        expect(await told(), output).toBe(0)
        expect(load.failures).toEqual([])
        const { counted } = await clicksIn(dataDir)
        load.expectCounted(counted)
        expect(counted.size).toBe(load.answered.size)
      },
    )

    it('refuses no connection when the service is killed, and what was answered is counted', async () => {
      const url = await open()
      const killed = await start()
      const { path } = await shortenAt(url, 'https://example.com/killed')
      const load = new Load(url + path)
      const stopped = new AbortController()
      const isOver = load.run(8, stopped.signal)
      await load.reached(300)
      process.kill(killed, 'SIGKILL')
      expect(await told()).toBe(-9)
      const service = await start()
      await load.reached(load.answered.size + 300)
      stopped.abort()
      await isOver
      process.kill(service, 'SIGTERM')
      expect(await told(), output).toBe(0)
      // Those that the killed one had accepted.
      expect(load.failures.length).toBeLessThanOrEqual(8)
      expect(load.failures).not.toContain('ECONNREFUSED')
      load.expectCounted((await clicksIn(dataDir)).counted)
    })

    it.skipIf(noPostgres)(
      `serves without PostgreSQL, ends when it is back, and is complete at the next start${noPostgres ? ` (skipped: ${noPostgres})` : ''}`,
      async () => {
        const server = new PostgresServer()
        try {
          const databaseUrl = await server.start()
          expect(await runCommand(['migrate', '--database-url', databaseUrl])).toMatchObject({ code: 0 })
          const url = await open('--database-url', databaseUrl)
          const first = await start()
          const { path } = await shortenAt(url, 'https://example.com/away')
          expect((await fetch(url + path, { redirect: 'manual' })).status).toBe(301)
          process.kill(first, 'SIGTERM')
          expect(await told(), output).toBe(0)
          await server.halt('SIGINT')
          await start()
          expect((await fetch(url + path, { redirect: 'manual' })).status).toBe(301)
          await server.resume()
          expect(await told()).toBe(1)
          expect(output).toContain('The socket of the service manager is used up by serving without it')
          const last = await start()
          await shortenAt(url, 'https://example.com/back')
          process.kill(last, 'SIGTERM')
          expect(await told(), output).toBe(0)
          expect([...(await clicksIn(dataDir)).counted.values()]).toEqual([2])
        } finally {
          await server.stop()
        }
      },
    )

    it('is refused if there are several', async () => {
      await open()
      await start(2)
      expect(await told()).toBe(1)
      await expect.poll(() => output, { timeout: 60_000 }).toContain('passes 2 sockets, but the service takes one')
    })
  },
)
