/**
 * What `serve` says about itself: to a person at a terminal a few lines with the first credentials and a curl line that
 * works; otherwise log lines, and generated secrets in a file that only the service's user can read.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { FirstStart } from '../core/administration/first-start.js'
import type { StreamAddress } from '../core/stream/stream.js'
import { OperatorError } from '../lib/operator-error.js'

export interface Announcer {
  /** Puts generated secrets where the operator finds them. Called before they are stored: secrets nobody can learn are not made. */
  keep(first: FirstStart): void
  /** Another process made the first user: what was kept here is not theirs. */
  discard(): void
  firstStarted(first: FirstStart): void
  serving(first: FirstStart | undefined, stream: StreamAddress | undefined): void
}

interface Voice {
  /** Standard output is a terminal. */
  readonly terminal: boolean
  print(line: string): void
  readonly log: Logger
}

export function announcer(config: Config, voice: Voice): Announcer {
  // Between JSON log lines a text for people would break whatever reads them.
  return voice.terminal && config.logFormat === 'pretty' ? toTerminal(config, voice) : toLog(config, voice)
}

function toTerminal(config: Config, { print, log }: Voice): Announcer {
  return {
    keep: () => {},
    discard: () => {},
    firstStarted(first) {
      print('')
      for (const line of credentials(first)) print(`  ${line}`)
      print('  What was generated is not shown again: keep it.')
    },
    serving(first, stream) {
      print('')
      print(`  shortlink is running at ${config.baseUrl}`)
      print('')
      const token = first?.generatedToken ?? (config.adminToken === undefined ? undefined : '$SHORTLINK_ADMIN_TOKEN')
      for (const line of exampleRequest(config, token ?? 'YOUR_TOKEN')) print(`  ${line}`)
      if (token === undefined) {
        print('\n  Lost your token? "bin/shortlink token create --login LOGIN" makes a new one.')
      }
      if (stream) {
        print('')
        print(`  The stream of clicks is at ${stream.address}, with a certificate whose SHA-256 fingerprint is`)
        print(`  ${stream.fingerprint}`)
        if (stream.authorityFile) print(`  Readers trust ${stream.authorityFile}; docs/stream.md says how.`)
      }
      print('')
      logServing(config, log)
    },
  }
}

/** In the data directory, mode 0600. */
const credentialsFile = 'first-credentials.txt'

function toLog(config: Config, { log }: Voice): Announcer {
  const file = join(config.dataDir, credentialsFile)
  let written = false
  return {
    keep(first) {
      if (first.generatedPassword === undefined && first.generatedToken === undefined) return
      const lines = [...credentials(first), '', ...exampleRequest(config, first.generatedToken ?? 'YOUR_TOKEN')]
      try {
        writeFileSync(file, `${lines.join('\n')}\n\nRead it, keep it elsewhere, delete this file.\n`, { mode: 0o600 })
      } catch (error) {
        throw new OperatorError(`The first credentials cannot be written to ${file} (${(error as Error).message}).`)
      }
      written = true
    },
    discard() {
      if (written) rmSync(file, { force: true })
    },
    firstStarted({ login }) {
      if (written) log.warn({ login, file }, 'first start: the credentials are in this file; read it, then delete it')
      else log.info({ login }, 'first start: the first user was made, with password and token as configured')
    },
    serving(_first, stream) {
      if (stream) log.info({ ...stream }, 'the stream of clicks can be read')
      logServing(config, log)
    },
  }
}

function logServing({ port, baseUrl, dataDir }: Config, log: Logger): void {
  log.info({ port, baseUrl, dataDir }, 'serving')
}

function credentials(first: FirstStart): string[] {
  return [
    `Admin login:   ${first.login}`,
    `Password:      ${first.generatedPassword ?? 'as configured'}`,
    `Access token:  ${first.generatedToken ?? 'as configured'}`,
  ]
}

function exampleRequest({ baseUrl }: Config, token: string): string[] {
  return [
    `curl -X POST ${baseUrl}/v4/shorten -H "Authorization: Bearer ${token}" \\`,
    `  -H "Content-Type: application/json" -d '{"long_url":"https://example.com/hello"}'`,
  ]
}
