import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { OperatorError } from '../../lib/operator-error.js'
import { backupFormat } from './manifest.js'
import { newFolder } from './new-copy.js'

const inProc: [string, RegExp] = ['/proc/backup', /^Cannot create \/proc\/backup\.unfinished \(E/]

// Root may write everywhere, but not below a file or in /proc, and no name may be longer than 255 bytes.
it.each<[string, RegExp]>([
  ['file/backup', /file is not a folder\.$/],
  ['missing/backup', /missing does not exist\. Create it first\.$/],
  ['x'.repeat(250), /^Cannot create .*\.unfinished \(ENAMETOOLONG.*\)\. Choose another target\.$/],
  ...(existsSync('/proc/self') ? [inProc] : []),
])('a folder that cannot be created is a problem of the operator, not a bug: %s', async (name, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-unfinished-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), '')
  const created = newFolder(resolve(folder, name), backupFormat)
  await expect(created).rejects.toBeInstanceOf(OperatorError)
  await expect(created).rejects.toThrow(message)
})
