import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiDocument, withParameters } from '../../web/src/docs/document.js'
import { type Language, sampleOf } from '../../web/src/docs/samples.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { clipboard, findingsIn, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`the API reference ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  it('tries an operation with the session of the browser', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('/docs')
    const operation = page.locator('#shorten')
    await operation.getByRole('heading', { name: '/v4/shorten' }).click()
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByText('201', { exact: true }).first().waitFor()
    await operation.getByLabel('Answer', { exact: true }).getByText(started.groupGuid).waitFor()
    expect(page.url()).toContain('#shorten')
    expect(problems).toEqual([])
  })

  it('tries an operation with a token, and shows refusals', async () => {
    const context = await browser.newContext({})
    const page = await context.newPage()
    await page.goto(`http://${started.domain}/docs#getUser`)
    const operation = page.locator('#getUser')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByLabel('Answer', { exact: true }).getByText('FORBIDDEN').waitFor()
    await page.getByLabel('Access token').fill(started.token)
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByLabel('Answer', { exact: true }).getByText('"login": "admin"').waitFor()
    await context.close()
  })

  it('shows parameters, fields within fields, and answers', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('/docs#createShortlink')
    const operation = page.locator('#createShortlink')
    await operation.getByText('Fields of deeplinks').first().click()
    await operation.getByText('app_uri_path', { exact: true }).first().waitFor()
    await operation.locator('.status').filter({ hasText: '402' }).locator('summary').click()
    await operation.locator('.status').getByText('description', { exact: true }).first().waitFor()
  })

  it('shows examples in three languages, and copies them', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('/docs#/Links/shorten')
    const examples = page.getByRole('region', { name: 'Examples' })
    await examples.getByRole('button', { name: 'Python' }).click()
    await examples.getByText('requests.post(').waitFor()
    await examples.getByRole('button', { name: 'Copy' }).click()
    await examples.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await clipboard(page).read()).toContain(`"group_guid": "${started.groupGuid}"`)
    expect(problems).toEqual([])
  })

  it('finds operations by the words of their summary', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('/docs')
    await page.getByLabel('Search the operations').fill('recovery codes')
    await page.getByText('Replace the recovery codes').waitFor()
    await expect.poll(() => page.locator('.operation:visible').count()).toBe(1)
    await page.getByLabel('Search the operations').fill('nothing of this kind')
    await page.getByText('No operation has "nothing of this kind".').waitFor()
  })

  it.each(['light', 'dark'] as const)('is accessible to everybody, in %s', async (colorScheme) => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(`http://${started.domain}/docs?api=v3#v3Shorten`)
    await page.getByRole('region', { name: 'Examples' }).waitFor()
    expect(await findingsIn(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(problems).toEqual([])
    await context.close()
  })
})

describe('examples of the API reference', () => {
  const python = spawnSync('python3', ['--version']).status === 0

  const started = useApp()
  const documents: ApiDocument[] = []
  beforeAll(async () => {
    for (const url of ['/openapi.json', '/docs/v3.json']) {
      documents.push(withParameters((await started.request('GET', url, { token: null })).body))
    }
  })

  const samples = (language: Language) =>
    documents.flatMap((document) =>
      Object.entries(document.paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) =>
          sampleOf(document, { path, method, origin: 'https://api.example.com' }, language),
        ),
      ),
    )

  it('are valid TypeScript', () => {
    for (const code of samples('TypeScript'))
      expect(() => transformSync(code, { loader: 'ts', format: 'esm' })).not.toThrow()
  })

  it('are valid for the shell', () => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: samples('curl').join('\n\n'), encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })

  it.skipIf(!python)('are valid Python', () => {
    const check = 'import sys, json\nfor code in json.load(sys.stdin): compile(code, "example", "exec")'
    const input = JSON.stringify(samples('Python'))
    const { status, stderr } = spawnSync('python3', ['-c', check], { input, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('work: one makes a link', async () => {
    const [document] = documents
    if (!document) throw new Error('no document')
    const code = sampleOf(document, { path: '/v4/shorten', method: 'post', origin: started.url }, 'curl')
      .replace('go.example.com', started.domain)
      .replace(/B[0-9A-Za-z]{10}/, started.groupGuid)
    // Not spawnSync: the service runs in this process.
    const { stdout } = await promisify(execFile)('bash', ['-c', `${code} -s -w '%{http_code}' -o /dev/null`], {
      env: { ...process.env, TOKEN: started.token },
    })
    expect(stdout).toBe('201')
  })
})
