/** The receivers of docs/api/webhooks.md, run as they are printed there. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstOrganization } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { eventually } from '../stream/nsqd/subject.js'
import { freePort } from '../support/free-port.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const page = readFileSync('docs/api/webhooks.md', 'utf8')
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''

describe('a documented receiver', () => {
  let started: StartedApp
  let folder: string
  let link: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-receivers-'))
    started = await startApp({ outgoingAllow: ['127.0.0.0/8'] })
    const body = { long_url: 'https://example.com/documented' }
    link = (await started.request('POST', '/v4/shorten', { body })).body.id
  })
  afterAll(async () => {
    await started.close()
    rmSync(folder, { recursive: true })
  })

  function typescript(): readonly [string, string] {
    const { code } = transformSync(blockOf('ts'), { loader: 'ts', format: 'esm' })
    return [process.execPath, write('receiver.mjs', code)]
  }

  function write(name: string, text: string): string {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  const programs = [
    { name: 'in TypeScript', skip: undefined, program: typescript },
    {
      name: 'in Python',
      skip: python() ? undefined : 'no python3',
      program: (): readonly [string, string] => ['python3', write('receiver.py', blockOf('python'))],
    },
  ]

  for (const { name, skip, program } of programs) {
    const title = skip === undefined ? name : `${name} (skipped: ${skip})`
    it.skipIf(skip !== undefined)(`${title} accepts signed events, and refuses others`, async () => {
      const port = await freePort()
      const organization_guid = await firstOrganization(started)
      const url = `http://127.0.0.1:${port}/`
      const body = { organization_guid, name: 'Documented', event: 'engagement', url }
      const { body: webhook } = await started.request('POST', '/v4/webhooks', { body })
      const [command, file] = program()
      const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: webhook.signing_secret }
      const child: ChildProcess = spawn(command, [file], { env })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
      const post = () =>
        fetch(url, {
          method: 'POST',
          headers: {
            'webhook-id': 'msg_1',
            'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
            'webhook-signature': 'v1,bm90IHNpZ25lZA==',
          },
          body: '{"event_type":"forged","event_id":"x"}',
        })
      await eventually(async () => expect((await post()).status).toBe(401))
      expect((await started.request('POST', `/v4/webhooks/${webhook.guid}/verify`)).status).toBe(200)
      await visit(started, link)
      await eventually(async () => expect(output).toMatch(/engagement \S+/))
      expect(output).toContain('ping ping/')
      expect(output).not.toContain('forged')
      child.kill()
      await started.request('DELETE', `/v4/webhooks/${webhook.guid}`)
    })
  }
})

function python(): boolean {
  try {
    execFileSync('python3', ['--version'])
    return true
  } catch {
    return false
  }
}
