/**
 * Requests to the API of another product. Waits when the product says that there were too many requests, and tries again
 * when it fails for a moment. Knows no product.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '../../lib/operator-error.js'

export interface ApiOptions {
  /** Without a slash at the end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Told before a wait of several seconds. */
  readonly onWait: (seconds: number, reason: string) => void
}

/** An answer that no repetition changes. */
export class ApiError extends OperatorError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

const maxAttempts = 8
/** A limit per hour is free again after an hour. */
const longestWait = 3_600_000
const requestTimeout = 60_000

export class ApiClient {
  readonly #options: ApiOptions

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** The parsed JSON of an answer. */
  async get(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): Promise<unknown> {
    const url = new URL(`${this.#options.url}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#try(url)
      if ('value' in answer) return answer.value
      if (answer.final || attempt === maxAttempts) {
        const advice = answer.final ? '' : ' Run the same command again later: it continues where it stopped.'
        throw new ApiError(answer.status, `${url.origin}${url.pathname} answered: ${answer.reason}.${advice}`)
      }
      const pause = Math.min(longestWait, answer.after ?? 500 * 2 ** attempt)
      if (pause >= 5_000) this.#options.onWait(Math.ceil(pause / 1000), answer.reason)
      await wait(pause)
    }
  }

  async #try(url: URL): Promise<Answer> {
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json', ...this.#options.headers },
        signal: AbortSignal.timeout(requestTimeout),
      })
      const text = await response.text()
      if (response.ok) return { value: JSON.parse(text) }
      const { status } = response
      const reason = `${status} ${messageIn(text)}`.trim()
      if (status !== 429 && status < 500) return { final: true, status, reason }
      return { final: false, status, reason, after: retryAfter(response.headers.get('retry-after'), status) }
    } catch (error) {
      // No connection, a broken one, or half an answer.
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      return { final: false, status: 0, reason: cause instanceof Error ? cause.message : String(cause) }
    }
  }
}

type Answer =
  | { readonly value: unknown }
  | { readonly final: boolean; readonly status: number; readonly reason: string; readonly after?: number | undefined }

/** Without the header, a limit per minute is the most likely one. */
function retryAfter(header: string | null, status: number): number | undefined {
  if (header === null) return status === 429 ? 61_000 : undefined
  const seconds = Number(header)
  const until = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(until) ? undefined : Math.max(0, until)
}

/** The sentence of an error in JSON, whatever its field is called. */
function messageIn(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown>
    const nested =
      typeof body.error === 'object' && body.error !== null ? (body.error as Record<string, unknown>) : body
    for (const name of ['description', 'detail', 'message', 'title', 'error']) {
      const value = nested[name]
      if (typeof value === 'string' && value !== '') return value.slice(0, 200)
    }
  } catch {
    // Not JSON: the status says enough.
  }
  return ''
}
