/** How many files and connections the process may have open at once. */
import { readFileSync } from 'node:fs'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'

const area = 'open files'

/** Loading the service takes 500 for a moment; each visitor who keeps a connection open needs one more. */
const least = 1024
const comfortable = 16_384

export function examineOpenFiles(limits = ownLimits()): Finding[] {
  const allowed = /^Max open files +(\w+)/m.exec(limits ?? '')?.[1]
  if (allowed === undefined) return []
  if (allowed === 'unlimited') return [ok(area, 'Not limited.')]
  const message = `This process may open ${allowed} files and connections.`
  const remedy =
    'Raise the limit: LimitNOFILE=65536 for systemd, "ulimit -n 65536" in a shell, ulimits in a compose file.'
  if (Number(allowed) < least) return [wrong(area, message, remedy)]
  if (Number(allowed) < comfortable) return [warning(area, message, remedy)]
  return [ok(area, message)]
}

function ownLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return undefined
  }
}
