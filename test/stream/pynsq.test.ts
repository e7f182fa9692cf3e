/** The Python example of docs/stream.md, as it stands there, with pynsq through the lookup address, TLS and AUTH. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { pynsq } from '../support/pynsq.js'
import { startApp } from '../support/start-app.js'
import { allowed, clicksOn } from './readers.js'

const found = pynsq()
const skip = 'skip' in found ? found.skip : undefined
const title = skip === undefined ? '' : ` (skipped: ${skip})`
const { python = '' } = 'skip' in found ? {} : found

describe.skipIf(skip !== undefined)(`the Python example${title}`, () => {
  it('prints every click', { timeout: 120_000 }, async () => {
    const started = await startApp({ nsqdPort: 0 })
    const { topic, link } = await allowed(started)
    const { dataDir, port } = started.app.config
    const script = example({
      'https://links.example.com:443': `http://localhost:${port}`,
      'clicks.Oabc123': topic,
      'stream-ca.pem': join(dataDir, 'stream-ca.pem'),
    })
    const reader = spawn(python, ['-u', '-c', `token = '${started.token}'\n${script}`])
    let errors = ''
    reader.stderr.on('data', (chunk) => {
      errors += chunk
    })
    const lines: string[] = []
    const enough = new Promise<void>((resolve, reject) => {
      createInterface({ input: reader.stdout }).on('line', (line) => {
        if (lines.push(line) === 20) resolve()
      })
      reader.once('close', (code) => reject(new Error(`the example ended with ${code}: ${errors}`)))
    })
    await clicksOn(started, link, 20)
    await enough
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z https:\/\/example\.com\/streamed$/)
    const ended = once(reader, 'exit')
    reader.kill('SIGTERM')
    await ended
    await started.close()
  })
})

function example(places: Readonly<Record<string, string>>): string {
  const guide = readFileSync(new URL('../../docs/stream.md', import.meta.url), 'utf8')
  const [, script] = /```python\n([^`]+)```/.exec(guide) ?? []
  if (script === undefined) throw new Error('docs/stream.md has no example in Python')
  return Object.entries(places).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example in Python has no ${from}`)
    return text.replace(from, to)
  }, script)
}
