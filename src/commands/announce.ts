/**
 * What `serve` prints at the start: on a terminal a few lines with the first credentials and a working curl command;
 * otherwise log lines, and generated secrets in a file that only the service's user can read.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { FirstStart } from '../core/administration/first-start.js'
import type { StreamAddress } from '../core/stream/stream.js'
import { OperatorError } from '../lib/operator-error.js'

export interface Announcer {
  /**
   * Saves generated secrets for the operator. Called before they are stored: if it fails, no account is created with a
   * secret nobody knows.
   */
  keep(first: FirstStart): void
  /** Another process created the first user: remove the secrets saved here. */
  discard(): void
  firstStarted(first: FirstStart): void
  serving(first: FirstStart | undefined, stream: StreamAddress | undefined): void
}

interface Output {
  /** Standard output is a terminal. */
  readonly terminal: boolean
  print(line: string): void
  readonly log: Logger
}

export function announcer(config: Config, output: Output): Announcer {
  // Plain text between JSON log lines would break log parsers.
  return output.terminal && config.logFormat === 'pretty' ? toTerminal(config, output) : toLog(config, output)
}

function toTerminal(config: Config, { print, log }: Output): Announcer {
  return {
    keep: () => {},
    discard: () => {},
    firstStarted(first) {
      print('')
      for (const line of credentials(first)) print(`  ${line}`)
      print('  Generated secrets are shown only once: save them now.')
    },
    serving(first, stream) {
      print('')
      print(`  shortlink is running at ${config.baseUrl}`)
      print('')
      const token = first?.generatedToken ?? (config.adminToken === undefined ? undefined : '$SHORTLINK_ADMIN_TOKEN')
      for (const line of exampleRequest(config, token ?? 'YOUR_TOKEN')) print(`  ${line}`)
      if (token === undefined) {
        print('\n  Lost your token? "bin/shortlink token create --login LOGIN --label TEXT" creates a new one.')
      }
      if (stream) {
        print('')
        print(`  The click stream is at ${stream.address}, with a certificate whose SHA-256 fingerprint is`)
        print(`  ${stream.fingerprint}`)
        if (stream.authorityFile) print(`  Readers must trust ${stream.authorityFile}; see docs/stream.md.`)
      }
      print('')
      logServing(config, log)
    },
  }
}

/** In the data directory, mode 0600. */
const credentialsFile = 'first-credentials.txt'

function toLog(config: Config, { log }: Output): Announcer {
  const file = join(config.dataDir, credentialsFile)
  let written = false
  return {
    keep(first) {
      if (first.generatedPassword === undefined && first.generatedToken === undefined) return
      const lines = [...credentials(first), '', ...exampleRequest(config, first.generatedToken ?? 'YOUR_TOKEN')]
      try {
        writeFileSync(file, `${lines.join('\n')}\n\nSave these elsewhere, then delete this file.\n`, { mode: 0o600 })
      } catch (error) {
        throw new OperatorError(`Cannot write the first credentials to ${file} (${(error as Error).message}).`)
      }
      written = true
    },
    discard() {
      if (written) rmSync(file, { force: true })
    },
    firstStarted({ login }) {
      if (written) log.warn({ login, file }, 'first start: the credentials are in this file; read it, then delete it')
      else log.info({ login }, 'first start: created the first user with the configured password and token')
    },
    serving(_first, stream) {
      if (stream) log.info({ ...stream }, 'click stream is ready')
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
