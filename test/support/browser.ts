import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** The installed Chromium, or nothing: then tests that need one are skipped. */
export const chromium = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file))

export const browserTitle = `in a browser${chromium ? '' : ' (skipped: there is no chromium)'}`

/** A real browser, driven over its own debugging protocol through a pipe: nothing to install and no port to find. */
export class Browser {
  readonly #process: ChildProcess
  readonly #profile: string
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  readonly #listeners = new Map<string, () => void>()
  #calls = 0

  private constructor(process: ChildProcess, profile: string) {
    this.#process = process
    this.#profile = profile
    let rest = ''
    const from = process.stdio[4] as Readable
    from.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = (rest + chunk).split('\0')
      rest = messages.pop() ?? ''
      for (const message of messages) this.#hear(JSON.parse(message) as Answer)
    })
  }

  static async start(): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'shortlink-browser-'))
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--no-first-run']
    const options = { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] } as const
    const process = spawn(chromium ?? '', [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: [...options.stdio],
      // A group of its own, so that its helpers end with it.
      detached: true,
    })
    await once(process, 'spawn')
    return new Browser(process, profile)
  }

  /** A page with cookies of its own. */
  async newPage(): Promise<BrowserPage> {
    const { browserContextId } = await this.call('Target.createBrowserContext', {})
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank', browserContextId })
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true })
    const page = new BrowserPage(this, String(sessionId))
    await page.call('Page.enable', {})
    await page.call('Accessibility.enable', {})
    return page
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit')
    if (this.#process.pid !== undefined) process.kill(-this.#process.pid, 'SIGKILL')
    await ended
    // Its helpers may need another moment to let go of the profile.
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }

  call(method: string, params: object, sessionId?: string): Promise<Result> {
    this.#calls += 1
    const id = this.#calls
    const to = this.#process.stdio[3] as Writable
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result = {}, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result),
      )
      to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  }

  /** Resolves at the next such event of the page. */
  next(event: string, sessionId: string): Promise<void> {
    return new Promise((resolve) => {
      this.#listeners.set(`${sessionId} ${event}`, resolve)
    })
  }

  #hear(message: Answer): void {
    if (message.id !== undefined) {
      this.#waiting.get(message.id)?.(message)
      this.#waiting.delete(message.id)
      return
    }
    const key = `${message.sessionId} ${message.method}`
    this.#listeners.get(key)?.()
    this.#listeners.delete(key)
  }
}

export class BrowserPage {
  readonly #browser: Browser
  readonly #session: string

  constructor(browser: Browser, session: string) {
    this.#browser = browser
    this.#session = session
  }

  async open(url: string): Promise<void> {
    await this.#loading(() => this.call('Page.navigate', { url }))
  }

  /** What the page shows, as text. */
  async text(): Promise<string> {
    return String(await this.evaluate('document.body.innerText'))
  }

  async url(): Promise<string> {
    return String(await this.evaluate('location.href'))
  }

  /** Types into the field with this accessible name, as assistive technology finds it. */
  async fill(name: string, text: string): Promise<void> {
    await this.call('DOM.focus', { backendNodeId: await this.find('textbox', name) })
    await this.type(text)
  }

  async type(text: string): Promise<void> {
    await this.call('Input.insertText', { text })
  }

  /** Presses the button with this name, and waits for the page it leads to. */
  async press(name: string): Promise<void> {
    const backendNodeId = await this.find('button', name)
    const { object } = await this.call('DOM.resolveNode', { backendNodeId })
    const objectId = (object as { objectId: string }).objectId
    await this.#loading(() =>
      this.call('Runtime.callFunctionOn', { objectId, functionDeclaration: 'function () { this.click() }' }),
    )
  }

  async key(key: 'Tab' | 'Enter', leadsOn = false): Promise<void> {
    const code = { Tab: 9, Enter: 13 }[key]
    const stroke = { key, code: key, windowsVirtualKeyCode: code, ...(key === 'Enter' && { text: '\r' }) }
    const press = async () => {
      await this.call('Input.dispatchKeyEvent', { type: 'keyDown', ...stroke })
      await this.call('Input.dispatchKeyEvent', { type: 'keyUp', ...stroke })
    }
    await (leadsOn ? this.#loading(press) : press())
  }

  /** Role and accessible name of everything that can have the focus, in the order of the page. */
  async controls(): Promise<string[]> {
    const { nodes } = await this.call('Accessibility.getFullAXTree', {})
    return (nodes as AxNode[])
      .filter((node) => node.properties?.some(({ name, value }) => name === 'focusable' && value.value === true))
      .filter((node) => node.role?.value !== 'RootWebArea')
      .map((node) => `${node.role?.value} ${node.name?.value}`)
  }

  async find(role: string, name: string): Promise<number> {
    const { root } = await this.call('DOM.getDocument', { depth: 0 })
    const { nodes } = await this.call('Accessibility.queryAXTree', {
      backendNodeId: (root as { backendNodeId: number }).backendNodeId,
      accessibleName: name,
      role,
    })
    const [found] = (nodes as AxNode[]).filter((node) => !node.ignored)
    if (!found) throw new Error(`there is no ${role} "${name}" on ${await this.url()}:\n${await this.text()}`)
    return found.backendDOMNodeId
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })
    return (result as { value: unknown }).value
  }

  async screenshot(options: { width: number; dark: boolean }): Promise<Buffer> {
    const { width, dark } = options
    await this.call('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false })
    const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]
    await this.call('Emulation.setEmulatedMedia', { features })
    const { data } = await this.call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true })
    return Buffer.from(String(data), 'base64')
  }

  call(method: string, params: object): Promise<Result> {
    return this.#browser.call(method, params, this.#session)
  }

  async #loading(action: () => Promise<unknown>): Promise<void> {
    const loaded = this.#browser.next('Page.loadEventFired', this.#session)
    await action()
    await loaded
  }
}

type Result = Readonly<Record<string, unknown>>

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly result?: Result
  readonly error?: { readonly message: string }
}

interface AxNode {
  readonly ignored: boolean
  readonly backendDOMNodeId: number
  readonly role?: { readonly value: string }
  readonly name?: { readonly value: string }
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[]
}
