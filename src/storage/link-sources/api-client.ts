/**
 * Requests to the API of another product. Waits when the product says that there were too many requests, and tries again
 * when it fails for a moment. Knows no product.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../lib/operator-error.js'

export interface ApiOptions {
  /** Without a slash at the end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Told before a wait of several seconds. */
  readonly onWait: (seconds: number, reason: string) => void
  /** Reasons of an answer 429 that an hour does not end, such as a limit per month. */
  readonly lastingLimit?: RegExp | undefined
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

/** An answer that no repetition changes. */
export class ApiError extends OperatorError {
  constructor(
    readonly status: number,
    /** What the product answered. */
    readonly reason: string,
    message: string,
  ) {
    super(message)
  }
}

const maxFailures = 8
/** A limit per hour is free again after an hour. */
const longestWait = 3_600_000
const longestWaits = 2 * longestWait
/** Without a Retry-After header: a limit per minute is the most likely one, and a limit per hour gets as many waits. */
const defaultWait = 61_000
const requestTimeout = 60_000

export class ApiClient {
  readonly #options: ApiOptions
  /** Whether the URL and the token are right is known then. */
  #answered = false

  constructor(options: ApiOptions) {
    requireSendable(options.headers)
    this.#options = options
  }

  /** The parsed JSON of an answer. */
  async get(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): Promise<unknown> {
    const url = new URL(`${this.#options.url}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    let failures = 0
    let waited = 0
    for (;;) {
      const answer = await this.#try(url)
      if ('value' in answer) {
        this.#answered = true
        return answer.value
      }
      const isLimit = answer.status === 429
      if (!isLimit) failures += 1
      const pause = isLimit ? Math.min(longestWait, answer.after ?? defaultWait) : 500 * 2 ** failures
      waited += isLimit ? pause : 0
      if (this.#isFinal(answer) || failures === maxFailures || waited > longestWaits) throw this.#error(url, answer)
      if (pause >= 5_000) this.#options.onWait(Math.ceil(pause / 1000), answer.reason)
      await (this.#options.wait ?? sleep)(pause)
    }
  }

  /** Before the first answer, a host that cannot be reached is a wrong URL: somebody is there to read that at once. */
  #isFinal({ final, status, reason, isUnreachable }: Failure): boolean {
    if (final || (isUnreachable === true && !this.#answered)) return true
    return status === 429 && this.#options.lastingLimit?.test(reason) === true
  }

  #error({ origin, pathname }: URL, answer: Failure): ApiError {
    const { status, reason, final } = answer
    const said =
      status === 0 ? `Cannot read ${origin}${pathname}: ${reason}.` : `${origin}${pathname} answered: ${reason}.`
    const advice = this.#advice(status, final)
    return new ApiError(status, reason, advice === '' ? said : `${said} ${advice}`)
  }

  #advice(status: number, final: boolean): string {
    if (status === 401 || (status === 403 && !this.#answered))
      return 'Check the key or token in the file of --token-file, and what it may read.'
    if (!this.#answered && (status === 0 || final)) return 'Check the URL: it must be that of the API.'
    return final ? '' : 'Run the same command again later: nothing is imported twice.'
  }

  async #try(url: URL): Promise<Answer> {
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json', ...this.#options.headers },
        // Elsewhere the key or token must not be sent.
        redirect: 'manual',
        signal: AbortSignal.timeout(requestTimeout),
      })
      const text = await response.text()
      if (response.ok) return parsed(response, text)
      const { status } = response
      const location = response.headers.get('location')
      if (location !== null) return { final: true, status, reason: `${status}, a redirect to ${location}` }
      const reason = `${status} ${messageIn(text)}`.trim()
      if (status !== 429 && status < 500) return { final: true, status, reason }
      return { final: false, status, reason, after: retryAfter(response.headers.get('retry-after'), Date.now()) }
    } catch (error) {
      // No connection, a broken one, or half an answer.
      const failure = connectionFailure(error)
      return { final: false, status: 0, reason: failure.message, isUnreachable: unreachable.test(failure.code ?? '') }
    }
  }
}

/** The error of `fetch` would show the key or token, and look like a broken connection. */
function requireSendable(headers: ApiOptions['headers']): void {
  if (Object.values(headers).every((value) => /^[\x20-\x7e]*$/.test(value))) return
  throw new OperatorError(
    'The key or token has a line break or a character that HTTP does not allow. The file of --token-file must have ' +
      'nothing but the key or token.',
  )
}

type Answer = { readonly value: unknown } | Failure

interface Failure {
  readonly final: boolean
  /** 0: there was no answer. */
  readonly status: number
  readonly reason: string
  readonly after?: number | undefined
  readonly isUnreachable?: boolean
}

/** No such host, nobody listens, or a certificate that is not trusted. */
const unreachable = /^(?:ENOTFOUND|ECONNREFUSED|EHOSTUNREACH|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

/** Web pages answer 200 at every path. */
function parsed(response: Response, text: string): Answer {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const isPage = !/json/i.test(response.headers.get('content-type') ?? '')
    return { final: isPage, status: response.status, reason: `${response.status}, but not in JSON` }
  }
}

function connectionFailure(error: unknown): NodeJS.ErrnoException {
  if (!(error instanceof Error)) return new Error(String(error))
  if (error.name === 'TimeoutError') return new Error(`no answer in ${requestTimeout / 1000} seconds`)
  const cause = error.cause instanceof Error ? error.cause : error
  // An attempt for each IP address of the host; the error around them says nothing.
  const [first] = cause instanceof AggregateError ? cause.errors : []
  return first instanceof Error ? first : cause
}

/**
 * Milliseconds. The header has seconds or a date; Dub writes the time when the limit ends, in milliseconds since 1970. At
 * least a second, so that an answer that is late itself does not cause the next request at once.
 */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const number = Number(header)
  const until = Number.isNaN(number) ? Date.parse(header) - now : number < 1e9 ? number * 1000 : epochOf(number) - now
  return Number.isNaN(until) ? undefined : Math.max(1000, until)
}

function epochOf(number: number): number {
  return number < 1e11 ? number * 1000 : number
}

/** The sentence of an error in JSON, whatever its field is called, after its code if there is one. */
function messageIn(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown>
    const error = typeof body.error === 'object' && body.error !== null ? (body.error as Record<string, unknown>) : body
    const [first = '', second] = ['message', 'description', 'detail', 'title', 'error'].flatMap((name) => {
      const value = error[name]
      return typeof value === 'string' && value !== '' ? [value.slice(0, 200).replace(/\.$/, '')] : []
    })
    return /^[A-Z_]+$/.test(first) && second !== undefined ? `${first} (${second})` : first
  } catch {
    // Not JSON: the status says enough.
    return ''
  }
}
