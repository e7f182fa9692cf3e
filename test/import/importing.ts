import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ended, runCommand } from '../support/run-command.js'
import { processToken, type ServiceProcess, startProcess } from '../support/start-process.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** The short domain of the service. */
export const domain = 'go.example'

/** What the other product has: the destination and the clicks of each back-half. */
export type Expected = Readonly<Record<string, { readonly longUrl: string; readonly clicks: number }>>

/** A running service and the command beside it, as an operator uses them. */
export interface Installation {
  readonly folder: string
  readonly service: ServiceProcess
  /** Writes a file of the other product. */
  file(name: string, content: string | Buffer): string
  /** In a process of its own. */
  start(place: string, ...flags: string[]): ChildProcess
  /** In this process, which is faster; the service counts the clicks. */
  run(place: string, ...flags: string[]): Promise<Ended>
  api(path: string): Promise<Record<string, unknown>>
  /** Where a visitor is sent. */
  visit(backHalf: string): Promise<{ readonly status: number; readonly location: string | null }>
  /** Human clicks of all time. */
  clicks(backHalf: string): Promise<number>
  close(): Promise<void>
}

/** `options` are for the service and the command, such as a database. */
export async function startInstallation(...options: string[]): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-moving-'))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  const service = await startProcess(dataDir, ['--domains', domain, ...options])
  const api = async (path: string) => {
    const ask = () => fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${processToken}` } })
    // The service closes idle connections, perhaps at the moment when one is used again.
    const answer = await ask()
      .catch(ask)
      .catch((error: unknown) => {
        const { exitCode, signalCode } = service.child
        throw new Error(`the service does not answer (ended with ${exitCode ?? signalCode}):\n${service.output()}`, {
          cause: error,
        })
      })
    return (await answer.json()) as Record<string, unknown>
  }
  const start = (place: string, ...flags: string[]) => {
    const args = [main, ...commandLine(place, dataDir), ...options, ...flags]
    return spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH } })
  }
  return {
    folder,
    service,
    file(name, content) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    },
    start,
    run: (place, ...flags) => runCommand([...commandLine(place, dataDir), ...options, ...flags], { cwd: folder }),
    api,
    visit(backHalf) {
      const path = `/${backHalf.split('/').map(encodeURIComponent).join('/')}`
      return new Promise((resolve, reject) => {
        // Not fetch, which sets the Host header itself. HEAD is not counted as a click.
        const sent = request(`${service.url}${path}`, { method: 'HEAD', headers: { host: domain } }, (answer) => {
          answer.resume()
          resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? null })
        })
        sent.on('error', reject)
        sent.end()
      })
    },
    async clicks(backHalf) {
      const path = `/v4/shortlinks/${domain}/${encodeURIComponent(backHalf)}/clicks/summary?unit=month&units=-1`
      return Number((await api(path)).total_clicks)
    },
    async close() {
      await service.stop('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function commandLine(place: string, dataDir: string): readonly string[] {
  return ['import', 'links', place, '--data-dir', dataDir, '--domains', domain]
}

/** What is there now of these links, in the form of `Expected`. */
export async function present(at: Installation, backHalves: readonly string[]): Promise<Expected> {
  const found: [string, { longUrl: string; clicks: number }][] = []
  for (const backHalf of backHalves) {
    const { location } = await at.visit(backHalf)
    found.push([backHalf, { longUrl: location ?? 'none', clicks: await at.clicks(backHalf) }])
  }
  return Object.fromEntries(found)
}
