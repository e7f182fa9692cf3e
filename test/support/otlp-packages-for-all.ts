/** Installs the packages that --otlp-url needs, once: they are not part of shortlink. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { lastLine, prepared, run } from './prepared.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly otlpPackages: OtlpPackages
  }
}

/** The folder of the packages, or why there is none. */
export type OtlpPackages = { readonly modules: string } | { readonly skip: string }

export async function setup(project: TestProject): Promise<void> {
  if (!isImported(project, 'otlp-packages.ts')) return
  const packages = await install()
  if ('skip' in packages) console.log(`Tests of traces are skipped: ${packages.skip}`)
  project.provide('otlpPackages', packages)
}

async function install(): Promise<OtlpPackages> {
  const lock = createHash('sha256').update(readFileSync('test/otlp/package-lock.json')).digest('hex').slice(0, 8)
  const made = await prepared(`otlp-${lock}`, async (aside) => {
    console.log('Installing the packages of OpenTelemetry (once) ...')
    mkdirSync(aside)
    for (const file of ['package.json', 'package-lock.json']) cpSync(join('test/otlp', file), join(aside, file))
    const { code, output } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], aside)
    return code === 0 ? undefined : lastLine(output) || `npm ended with ${code}`
  })
  if ('failure' in made) return { skip: `the packages of OpenTelemetry cannot be installed: ${made.failure}` }
  return { modules: join(made.folder, 'node_modules') }
}
