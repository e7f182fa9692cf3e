import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'

const caddyfile = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url))

/** Undefined where Caddy is installed. */
export const noCaddy =
  spawnSync('caddy', ['version']).status === 0 ? undefined : 'caddy is not installed; on Debian: caddy'

export interface Caddy {
  readonly httpsPort: number
  /** The certificate of its own authority, a PEM file. */
  readonly authority: string
  close(): Promise<void>
}

/** Caddy with deploy/Caddyfile and certificates of its own authority. */
export async function startCaddy({ apiHost, upstream }: { apiHost: string; upstream: string }): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-caddy-'))
  const httpsPort = await freePort({ held: false })
  const data = join(folder, 'data')
  const caddy = spawn('caddy', ['run', '--config', caddyfile, '--adapter', 'caddyfile'], {
    // Uses neither the folders nor the settings of the machine's Caddy.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_DATA_HOME: data,
      XDG_CONFIG_HOME: join(folder, 'config'),
      CADDY_API_HOST: apiHost,
      CADDY_UPSTREAM: upstream,
      CADDY_CERTIFICATES: 'internal',
      CADDY_HTTP_PORT: String(await freePort()),
      CADDY_HTTPS_PORT: String(httpsPort),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    caddy.stderr?.on('data', (chunk) => {
      log += chunk
      if (log.includes('serving initial configuration')) resolve()
    })
    caddy.once('error', reject)
    caddy.once('exit', () => reject(new Error(`caddy did not start:\n${log}`)))
  })
  return {
    httpsPort,
    authority: join(data, 'caddy', 'pki', 'authorities', 'local', 'root.crt'),
    async close() {
      if (caddy.exitCode === null) {
        const ended = once(caddy, 'exit')
        caddy.kill()
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
