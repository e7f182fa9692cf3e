import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { OperatorError } from '../../lib/operator-error.js'
import { newFolder } from './unfinished-folder.js'

// Root may write everywhere, but not below a file, and no name may be longer than 255 bytes.
it.each([
  ['file/backup', /file is not a folder\.$/],
  ['missing/backup', /missing does not exist\. Create it first\.$/],
  ['x'.repeat(250), /^Cannot create .*\.unfinished \(ENAMETOOLONG.*\)\. Give this user the right to write there\.$/],
])('a folder that cannot be created is a problem of the operator, not a bug: %s', async (name, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-unfinished-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), '')
  const created = newFolder(join(folder, name), { what: 'backup', rooms: ['clicks'], files: [] })
  await expect(created).rejects.toBeInstanceOf(OperatorError)
  await expect(created).rejects.toThrow(message)
})
