import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiDocument, withParameters } from '../../web/src/docs/document.js'
import { type Language, sampleOf } from '../../web/src/docs/samples.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { clipboard, seriousFindings, signedInPage, useBrowser } from './dashboard-page.js'

const waitTimeout = 120_000

// Swagger UI works for eight seconds until an operation is open: on a busy machine, more than a minute.
describe.skipIf(chromium === undefined)(`the API reference ${browserTitle}`, { timeout: 240_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  it('tries an operation with the session of the browser', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    page.setDefaultTimeout(waitTimeout)
    await open('/docs')
    await page.locator('#operations-Links-shorten .opblock-summary-control').click()
    const operation = page.locator('#operations-Links-shorten')
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.locator('.live-responses-table').getByText('201', { exact: true }).waitFor()
    expect(await operation.locator('.live-responses-table').textContent()).toContain(started.groupGuid)
    expect(problems).toEqual([])
  })

  it('shows examples in three languages, and copies them', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    page.setDefaultTimeout(waitTimeout)
    await open('/docs')
    await page.locator('#operations-Links-shorten .opblock-summary-control').click()
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
    page.setDefaultTimeout(waitTimeout)
    await open('/docs')
    await page.getByPlaceholder('Filter by tag or path').fill('recovery codes')
    await page.getByText('Replace the recovery codes').waitFor()
    // Webhooks have a section of their own.
    await expect.poll(() => page.locator('.opblock-tag-section .opblock').count()).toBe(1)
  })

  it.each(['light', 'dark'] as const)('is accessible to everybody, in %s', async (colorScheme) => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme })
    const page = await context.newPage()
    page.setDefaultTimeout(waitTimeout)
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(`http://${started.domain}/docs?api=v3`)
    await page.locator('#operations-Links-v3Shorten .opblock-summary-control').click()
    await page.getByRole('region', { name: 'Examples' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
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
