import type { Answer, StartedApp } from '../support/start-app.js'

/**
 * A minimal browser: keeps cookies, parses the forms of the current page and submits them. Redirects are left to the
 * test.
 */
export class FormBrowser {
  readonly cookies = new Map<string, string>()
  readonly #started: StartedApp
  #page: Answer | undefined
  #path = '/'

  constructor(started: StartedApp) {
    this.#started = started
  }

  open(path: string): Promise<Answer> {
    this.#path = path
    return this.#send('GET', path)
  }

  /** Submits the form with this action, with its values and the given ones; undefined leaves a field out. */
  submit(action: string, filled: Record<string, string | undefined> = {}): Promise<Answer> {
    const form = this.form(action)
    const fields = { ...form.fields, ...filled }
    const pairs = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
    return this.post(form.action || this.#path, new URLSearchParams(pairs).toString())
  }

  post(path: string, body: string, type = 'application/x-www-form-urlencoded'): Promise<Answer> {
    return this.#send('POST', path, body, type)
  }

  form(action: string): { action: string; fields: Record<string, string> } {
    for (const [whole, attributes = ''] of this.text.matchAll(/<form([^>]*)>.*?<\/form>/gs)) {
      const to = unescapeHtml(/action="([^"]*)"/.exec(attributes)?.[1] ?? '')
      if (!to.startsWith(action)) continue
      const hidden = [...whole.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
      return {
        action: to,
        fields: Object.fromEntries(hidden.map(([, name, value]) => [name, unescapeHtml(value ?? '')])),
      }
    }
    throw new Error(`there is no form to ${action} on this page:\n${this.text}`)
  }

  get text(): string {
    return this.#page?.text ?? ''
  }

  async #send(method: string, path: string, body?: string, type?: string): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie && { cookie }), ...(type && { 'content-type': type }) }
    this.#page = await this.#started.request(method, path, {
      token: null,
      headers,
      ...(body !== undefined && { body }),
    })
    for (const line of this.#page.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return this.#page
  }
}

/** A browser with a signed-in user. */
export async function signedIn(started: StartedApp, login: string, password: string): Promise<FormBrowser> {
  const browser = new FormBrowser(started)
  await browser.open('/account/sign-in')
  const answer = await browser.submit('/account/sign-in', { login, password })
  if (answer.status !== 303) throw new Error(`${login} could not sign in: ${answer.status} ${answer.text}`)
  return browser
}

function unescapeHtml(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
