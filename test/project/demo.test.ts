import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('shortlink-demo-'))

it('npm run demo shows nine months of an organization, and leaves nothing behind', { timeout: 180_000 }, async () => {
  const before = folders()
  const port = await freePort()
  const demo = spawn(process.execPath, ['scripts/demo.mjs', '--port', String(port), '--no-open'])
  let output = ''
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = once(demo, 'exit')
  await Promise.race([ended, until(() => output.includes('The demo is ready'))])
  expect(output).toContain(`The demo is ready: http://localhost:${port}/app`)

  const url = `http://localhost:${port}`
  const form = await (await fetch(`${url}/account/sign-in`)).text()
  expect(form).toMatch(/name="login"[^>]* value="maya"/)
  expect(form).toMatch(/name="password"[^>]* value="coffee for everyone"/)

  const headers = { authorization: `Bearer ${'demo'.repeat(10)}` }
  // biome-ignore lint/suspicious/noExplicitAny: answers of several operations
  const read = async (path: string): Promise<any> => (await fetch(url + path, { headers })).json()
  const { groups } = await read('/v4/groups')
  const group = `/v4/groups/${groups[0].guid}`
  expect((await read(`${group}/shortlinks?size=100`)).links).toHaveLength(100)
  const { data: months } = await read(`${group}/clicks?unit=month&units=9`)
  expect(months).toHaveLength(9)
  for (const { count } of months) expect(count).toBeGreaterThan(100)
  const { qr_codes } = await read(`${group}/qr-codes`)
  const monthsOfCodes = qr_codes.map(({ created }: { created: string }) => created.slice(0, 'YYYY-MM'.length))
  expect(new Set(monthsOfCodes).size).toBeGreaterThan(3)

  const made = folders().filter((name) => !before.includes(name))
  demo.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  expect(made.filter((name) => existsSync(`${tmpdir()}/${name}`))).toEqual([])
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 100))
}
