import type { AuditEntry } from '../core/accounts/audit-store.js'
import { positionIn } from '../core/values/cursor.js'
import { OperatorError } from '../lib/operator-error.js'
import { operatorCommand, table } from './administration.js'

export const audit = operatorCommand('audit', 'listAuditLog', {
  summary: 'Show the audit log: sign-ins, tokens, roles, domains, links',
  flags: [
    { name: 'login', value: 'LOGIN', description: 'Only entries by this user or about their account.' },
    { name: 'size', value: 'NUMBER', description: 'Number of entries, newest first; default 50, maximum 1000.' },
    { name: 'after', value: 'CURSOR', description: 'Cursor of the next page, as printed by the previous page.' },
  ],
  input: ({ flag }) => {
    const size = flag('size') === undefined ? undefined : Number(flag('size'))
    if (size !== undefined && !(Number.isInteger(size) && size >= 1 && size <= 1000)) {
      throw new OperatorError('--size must be a whole number from 1 to 1000.', 2)
    }
    return { login: flag('login'), size, searchAfter: cursorIn(flag('after')) }
  },
  text: ({ entries, searchAfter }) => {
    const heading = ['WHEN', 'WHO', 'WHAT', 'TO', 'ACCOUNT', 'FROM', 'DETAILS']
    const more = searchAfter === undefined ? [] : [`More: --after ${searchAfter}`]
    return [...table(heading, entries.map(row), 'There are no entries.'), ...more]
  },
})

function cursorIn(after: string | undefined): string | undefined {
  try {
    if (after !== undefined) positionIn(after)
    return after
  } catch {
    throw new OperatorError('--after must be the cursor that the previous page printed.', 2)
  }
}

function row({ at, login, account, action, subject, address, details }: AuditEntry): string[] {
  const more = Object.entries(details).map(([name, value]) => `${name}=${value}`)
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  return [when, login ?? '-', action, subject ?? '-', account ?? '-', address ?? '-', more.join(' ')]
}
