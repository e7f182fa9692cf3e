import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A file with these plans, as `plans` is configured. It is deleted after the tests of the file, or after `until`. */
export function plansFile(plans: object, until: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-plans-'))
  until(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'plans.json')
  writeFileSync(file, JSON.stringify(plans))
  return file
}
