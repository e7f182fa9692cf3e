/** Installs published clients of the API from their registries, once: for Node, Python and Java. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { lastLine, prepared, run } from './prepared.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly apiClients: ApiClients
  }
}

export type Language = keyof typeof versions

/** A folder for each language, or why there is none. */
export type ApiClients = Readonly<Record<Language, { readonly folder: string } | { readonly skip: string }>>

export const versions = {
  node: { bitly: '7.1.2', 'bitly-node-api': '0.0.6', 'node-bitlyapi': '0.4.0' },
  python: { pyshorteners: '1.0.1', bitlyshortener: '0.6.4', 'bitly-api-py3': '0.3' },
  python2: { bitly_api: '0.3' },
  java: { 'com.opsmatters:bitly-java-api': '1.0.2' },
} as const

export async function setup(project: TestProject): Promise<void> {
  if (!isImported(project, 'api-clients.ts')) return
  const node = install('node', (aside) => [
    ['npm', 'install', '--prefix', aside, '--ignore-scripts', '--no-audit', '--no-fund', ...pinned('node', '@')],
  ])
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  const python = install('python', (aside) => [
    ['python3', '-m', 'venv', aside],
    [join(aside, 'bin', 'python'), ...pip, ...pinned('python', '==')],
  ])
  const python2 = install('python2', (aside) => [
    [python2Program(), '--version'],
    ['python3', ...pip, '--no-compile', '--target', aside, ...pinned('python2', '==')],
  ])
  const java = install('java', (aside) => {
    writeFileSync(join(aside, 'pom.xml'), projectOf(pinned('java', ':')))
    const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${join(aside, 'lib')}`]
    return [
      ['java', '-version'],
      ['mvn', '--batch-mode', '--quiet', '-f', join(aside, 'pom.xml'), ...copy],
    ]
  })
  project.provide('apiClients', { node: await node, python: await python, python2: await python2, java: await java })
}

function pinned(language: Language, separator: string): string[] {
  return Object.entries(versions[language]).map(([name, version]) => `${name}${separator}${version}`)
}

async function install(language: Language, steps: (aside: string) => readonly (readonly string[])[]) {
  const content = createHash('sha256').update(pinned(language, ' ').join()).digest('hex').slice(0, 8)
  const name = `clients-${language}-${content}`
  const made = await prepared(name, async (aside) => {
    console.log(`Installing ${pinned(language, ' ').join(', ')} (once) ...`)
    mkdirSync(aside)
    for (const [program = '', ...args] of steps(aside)) {
      const { code, output } = await run(program, args)
      if (code !== 0) return lastLine(output.replaceAll('\u001b[0m', '')) || `${program} ended with ${code}`
    }
    return undefined
  })
  if ('folder' in made) return made
  const skip = `clients for ${language} cannot be installed: ${made.failure}`
  console.log(`Tests with them are skipped: ${skip}`)
  return { skip }
}

/** Python 2 is often kept by pyenv only. */
export function python2Program(): string {
  const versions = join(homedir(), '.pyenv', 'versions')
  const kept = existsSync(versions) ? readdirSync(versions).find((version) => version.startsWith('2.7')) : undefined
  return kept === undefined ? 'python2.7' : join(versions, kept, 'bin', 'python2.7')
}

/** A Maven project that only has dependencies. */
function projectOf(dependencies: readonly string[]): string {
  const listed = dependencies.map((each) => {
    const [group, artifact, version] = each.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  })
  const own = '<groupId>test</groupId><artifactId>clients</artifactId><version>1</version><packaging>pom</packaging>'
  return `<project><modelVersion>4.0.0</modelVersion>${own}<dependencies>${listed.join('')}</dependencies></project>`
}
