import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from './free-port.js'

export interface ServiceProcess {
  readonly url: string
  readonly child: ChildProcess
  readonly output: () => string
  /** Sends the signal and waits for the end; answers the exit code, or null when the signal itself ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

export const processToken = 'c'.repeat(40)

/** The built service as a child process, as an operator runs it. `wrap` puts a shell line in front, such as a ulimit. */
export async function startProcess(
  dataDir: string,
  flags: readonly string[] = [],
  wrap = '',
  samePort?: number,
  build = '.',
): Promise<ServiceProcess> {
  const port = samePort ?? (await freePort())
  const args = [join(build, 'dist/main.js'), 'serve', '--port', String(port), '--data-dir', dataDir, ...flags]
  const env = {
    ...process.env,
    SHORTLINK_ADMIN_TOKEN: processToken,
    SHORTLINK_TITLES: 'off',
    SHORTLINK_API_CONNECTIONS: '0',
  }
  const child =
    wrap === ''
      ? spawn(process.execPath, args, { env })
      : spawn('sh', ['-c', `${wrap}; exec "$0" "$@"`, process.execPath, ...args], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = once(child, 'exit') as Promise<[number | null]>
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}:\n${output}`)
    const answer = await fetch(`${url}/healthz`).catch(() => undefined)
    if (answer?.ok) break
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return {
    url,
    child,
    output: () => output,
    async stop(signal) {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
}

export async function shortenAt(url: string, longUrl: string): Promise<{ id: string; path: string }> {
  const response = await fetch(`${url}/v4/shorten`, {
    method: 'POST',
    headers: { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ long_url: longUrl }),
  })
  const { id } = (await response.json()) as { id: string }
  return { id, path: `/${id.split('/')[1]}` }
}

/** Waits until the journal is empty, as an operator would see it. */
export async function drained(url: string): Promise<void> {
  for (;;) {
    const readiness = (await (await fetch(`${url}/readyz`)).json()) as { journal: { backlogRows: number | null } }
    if (readiness.journal.backlogRows === 0) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
