// A browser that is signed in to the demo (needs Chromium).
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { login, password } from './start.mjs'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Whoever asks for `origin` gets the service at `url`, as if it were behind HTTPS there. */
export function startBrowser({ origin, url } = {}) {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file))
  if (!executablePath) throw new Error('There is no Chromium: install the package "chromium".')
  const env = { ...process.env, FONTCONFIG_FILE: fileURLToPath(new URL('fonts.conf', import.meta.url)) }
  const instead = origin && [
    `--host-resolver-rules=MAP ${new URL(origin).host} ${new URL(url).host}`,
    `--unsafely-treat-insecure-origin-as-secure=${origin}`,
  ]
  return chromium.launch({ executablePath, args: [...flags, ...(instead ?? [])], env })
}

/** A page in a context of its own; `options` are those of Playwright's newContext. */
export async function signIn(browser, url, options = {}) {
  const context = await browser.newContext({ locale: 'en-US', ...options })
  const page = await context.newPage()
  await page.goto(`${url}/account/sign-in`)
  await page.getByLabel('Login or e-mail address').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(/\/app\/B/)
  return page
}
