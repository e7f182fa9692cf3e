import type { AuditEntry } from '../core/accounts/audit-store.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import { administer, recordOptions } from './administration.js'
import type { Command } from './command.js'

export const audit: Command = {
  name: 'audit',
  summary: 'Show the audit log: sign-ins, tokens, roles, domains, deletions',
  flags: [
    { name: 'login', value: 'LOGIN', description: 'Only entries by this user or about their account.' },
    { name: 'size', value: 'NUMBER', description: 'Number of entries, newest first; default 50, maximum 1000.' },
    { name: 'after', value: 'CURSOR', description: 'Cursor of the next page, as printed by the previous page.' },
    { name: 'json', description: 'Print JSON instead of text.' },
  ],
  options: recordOptions,
  async run({ config, flag, switched, print }) {
    const size = flag('size') === undefined ? undefined : Number(flag('size'))
    if (size !== undefined && !(Number.isInteger(size) && size >= 1 && size <= 1000)) {
      throw new OperatorError('--size must be a whole number from 1 to 1000.', 2)
    }
    const page = await administer(config, 'listAuditLog', { login: flag('login'), size, searchAfter: flag('after') })
    if (switched('json')) return print(JSON.stringify(page))
    if (page.entries.length === 0) return print('There are no entries.')
    print(columns([['WHEN', 'WHO', 'WHAT', 'TO', 'ACCOUNT', 'FROM', 'DETAILS'], ...page.entries.map(row)]).join('\n'))
    if (page.searchAfter !== undefined) print(`More: --after ${page.searchAfter}`)
  },
}

function row({ at, login, account, action, subject, address, details }: AuditEntry): string[] {
  const more = Object.entries(details).map(([name, value]) => `${name}=${value}`)
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  return [when, login ?? '-', action, subject ?? '-', account ?? '-', address ?? '-', more.join(' ')]
}
