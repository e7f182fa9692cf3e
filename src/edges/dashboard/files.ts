import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installation } from '../../lib/installation.js'

export interface DashboardFile {
  readonly type: string
  readonly etag: string
  readonly body: Buffer
  readonly compressed: { readonly br?: Buffer; readonly gzip?: Buffer }
}

/** By URL path. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>

const built = fileURLToPath(new URL('dist-web', installation))

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Reads the built dashboard: a few megabytes. Empty where it was not built. */
export function readDashboard(folder = built): DashboardFiles {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(
    names
      .filter((name) => !name.startsWith('.') && extname(name) in types)
      .map((name) => [`/app/${name.split(sep).join('/')}`, readFile(join(folder, name))]),
  )
}

function readFile(path: string): DashboardFile {
  const body = readFileSync(path)
  const [br, gzip] = ['.br', '.gz'].map((ending) =>
    existsSync(path + ending) ? readFileSync(path + ending) : undefined,
  )
  const type = types[extname(path)] ?? 'application/octet-stream'
  return {
    type,
    etag: `"${hash('sha256', body).slice(0, 32)}"`,
    body,
    compressed: { ...(br && { br }), ...(gzip && { gzip }) },
  }
}
