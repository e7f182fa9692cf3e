/** Looks for damage in a SQLite file, on a thread of the driver: the service goes on meanwhile. */
import AsyncConnection from 'libsql/promise'
import { isDamage } from './sqlite-faults.js'

export type SqliteCheck =
  | { readonly outcome: 'whole' }
  | { readonly outcome: 'damaged'; readonly reason: string }
  /** The time was over before the end of the file. */
  | { readonly outcome: 'unfinished' }

/** Reads every page once, for at most this many milliseconds. */
export async function checkSqlite(file: string, timeLimit: number): Promise<SqliteCheck> {
  const connection = new AsyncConnection(file, {})
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    connection.interrupt()
  }, timeLimit)
  try {
    const statement = await connection.prepare('PRAGMA quick_check(1)')
    const [row] = (await statement.all([])) as { quick_check: string }[]
    const found = row?.quick_check ?? 'ok'
    return found === 'ok' ? { outcome: 'whole' } : { outcome: 'damaged', reason: found.split('\n').at(-1) ?? found }
  } catch (error) {
    if (isDamage(error)) return { outcome: 'damaged', reason: (error as Error).message }
    if (isLate) return { outcome: 'unfinished' }
    throw error
  } finally {
    clearTimeout(timer)
    connection.close()
  }
}
