/** Kutt's SQLite file. Read in pages, so that memory stays bounded; the file is not changed. */
import type Database from 'libsql'
import { OperatorError } from '../../lib/operator-error.js'
import type { KuttTables } from './kutt.js'
import type { TableLine } from './yourls.js'

const pageSize = 5_000

export function kuttFile(database: Database.Database): KuttTables {
  let done = 0
  let of = 0
  const count = (table: string) => numberIn(database, `select count(*) as value from "${table}"`)
  if (numberIn(database, `select count(*) as value from sqlite_master where name in ('links', 'visits')`) < 2) {
    database.close()
    throw new OperatorError('The SQLite file has no tables links and visits: it is not a file of Kutt.')
  }
  async function* rows(table: string): AsyncGenerator<TableLine> {
    ;[done, of] = [0, count(table)]
    const page = database.prepare(`select * from "${table}" where id > ? order by id limit ${pageSize}`)
    for (let last = -1; ; ) {
      const found = page.all([last]) as Record<string, unknown>[]
      for (const row of found) {
        done += 1
        yield { line: Number(row.id), get: (column) => textOf(row[column]) }
      }
      if (found.length < pageSize) return
      last = Number(found.at(-1)?.id)
    }
  }
  return {
    format: 'SQLite file',
    domains: () => rows('domains'),
    links: () => rows('links'),
    visits: () => rows('visits'),
    progress: () => ({ done, of }),
    async close() {
      database.close()
    },
  }
}

function numberIn(database: Database.Database, query: string): number {
  const [row] = database.prepare(query).all() as { value: number }[]
  return Number(row?.value ?? 0)
}

function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value)
}
