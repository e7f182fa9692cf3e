/**
 * Writes a closed click log anew, so that nothing deleted is left in the free blocks of its file. An interruption leaves the
 * old file as it is.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { openInstance } from './click-log.js'

export async function rewriteDuckdbClickLog(file: string): Promise<void> {
  if (!existsSync(file)) return
  const fresh = `${file}.rewriting`
  rmSync(fresh, { force: true })
  const instance = await openInstance(file)
  try {
    const connection = await instance.connect()
    const reader = await connection.runAndReadAll("SELECT current_database(), current_setting('default_block_size')")
    const [name, blockSize] = reader.getRows()[0] ?? []
    await connection.run(`ATTACH '${fresh.replaceAll("'", "''")}' AS fresh (BLOCK_SIZE ${blockSize})`)
    await connection.run(`COPY FROM DATABASE "${name}" TO fresh`)
    // Writes a checkpoint: the file is complete without a write-ahead log.
    await connection.run('DETACH fresh')
    connection.closeSync()
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  } finally {
    instance.closeSync()
  }
  renameSync(fresh, file)
}
