/**
 * The one client of the public API. A browser session counts only together with the CSRF value of that session, which
 * another site can neither read nor guess.
 */
import createClient, { type Middleware } from 'openapi-fetch'
import type { paths } from './schema.js'

/** What the API answered instead of data. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly description: string,
    readonly fields: readonly FieldError[],
    /** The collection that the error is about. */
    readonly resource = '',
    /** Seconds until it is worth asking again, where the API says so. */
    readonly retryAfter: number | undefined = undefined,
  ) {
    super(description || code)
  }

  get isMissing(): boolean {
    return this.status === 404 || this.status === 410
  }

  get isForbidden(): boolean {
    return this.status === 403
  }
}

export interface FieldError {
  readonly field: string
  readonly message: string
}

export interface Session {
  readonly login: string
  readonly csrf: string
}

// The API refuses more than five requests at once from one user. One place is left for another tab.
const maxInFlight = 4
let inFlight = 0
const waiting: (() => void)[] = []

/** A request ends when its body is here: until then the service counts it. */
async function queuedFetch(request: Request): Promise<Response> {
  if (inFlight >= maxInFlight) await new Promise<void>((resolve) => waiting.push(resolve))
  else inFlight++
  try {
    const response = await fetch(request)
    // The browser may keep a large one on the disk.
    const body = await response.blob()
    return new Response(body.size === 0 ? null : body, response)
  } finally {
    // The place goes to the next one at once: nobody may come between.
    const next = waiting.shift()
    if (next) next()
    else inFlight--
  }
}

interface Read {
  readonly request: Request
  readonly answer: (response: Promise<Response> | Response) => void
}

/** The API's limit of a batch. */
const maxReads = 20
/** The status of reads that did not fit into their batch. */
const tooLarge = 413
let reads: Read[] = []

/** What the parts of a page read in the same moment is one request. */
function batchedFetch(request: Request): Promise<Response> {
  // Files, and what is read together with its headers.
  const isAlone = (request.headers.get('accept') ?? '*/*') !== '*/*'
  if (request.method !== 'GET' || isAlone) return queuedFetch(request)
  return new Promise((answer) => {
    if (reads.length === 0) setTimeout(sendReads)
    reads.push({ request, answer })
  })
}

function sendReads(): void {
  // Reports can take longer, and the rest of the page does not wait for them.
  const isReport = ({ request }: Read) => request.url.includes('/metrics')
  const kinds = [reads.filter((read) => !isReport(read)), reads.filter(isReport)]
  reads = []
  for (const kind of kinds) {
    for (let from = 0; from < kind.length; from += maxReads) void sendBatch(kind.slice(from, from + maxReads))
  }
}

async function sendBatch(batch: readonly Read[]): Promise<void> {
  const [first, second] = batch
  if (!first) return
  if (!second) return first.answer(queuedFetch(first.request))
  const paths = batch.map(({ request }) => request.url.slice(location.origin.length))
  const headers = new Headers(first.request.headers)
  headers.set('content-type', 'application/json')
  const sent = queuedFetch(new Request('/v4/batch', { method: 'POST', headers, body: JSON.stringify({ paths }) }))
  const answers = await sent.then(answersOf).catch(() => undefined)
  for (const [at, { request, answer }] of batch.entries()) {
    const own = answers?.[at]
    if (own && own.status !== tooLarge) answer(responseOf(own))
    // A batch that failed fails for all; one that was not understood is no answer, as from a former version of the service.
    else answer(sent.then((whole) => (whole.ok || whole.status === 404 ? queuedFetch(request) : whole.clone())))
  }
}

async function answersOf(whole: Response): Promise<readonly BatchAnswer[] | undefined> {
  const { answers } = whole.ok ? await whole.clone().json() : {}
  return Array.isArray(answers) ? answers : undefined
}

interface BatchAnswer {
  readonly status: number
  readonly body: unknown
  readonly retry_after?: number
}

function responseOf({ status, body, retry_after }: BatchAnswer): Response {
  return Response.json(body, {
    status,
    ...(retry_after !== undefined && { headers: { 'retry-after': String(retry_after) } }),
  })
}

let session: Promise<Session | undefined> | undefined
let onSignedOut: () => Promise<void> = async () => undefined

/** Asks who is signed in; remembered until the session ends. A failure is not remembered. */
export function currentSession(): Promise<Session | undefined> {
  session ??= askForSession().catch((error: unknown) => {
    forgetSession()
    throw error
  })
  return session
}

async function askForSession(): Promise<Session | undefined> {
  const response = await fetch('/account/session', { headers: { accept: 'application/json' } })
  if (response.ok) return (await response.json()) as Session
  if (response.status === 401) return undefined
  throw errorOf(response, undefined)
}

export function forgetSession(): void {
  session = undefined
}

/** What to do when the session ended in the middle of work: ask the person to sign in again, then repeat the request. */
export function whenSignedOut(handler: () => Promise<void>): void {
  onSignedOut = handler
}

const withSession: Middleware = {
  async onRequest({ request }) {
    const csrf = (await currentSession())?.csrf
    if (csrf) request.headers.set('x-csrf-token', csrf)
    return request
  },
}

/** Seconds; a longer wait is said and not sat out in silence. */
export const shortWait = 5

/** A change that came too soon was not made: it is sent again after the wait that the API names. Reads are, by their queries. */
async function patientFetch(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await batchedFetch(request)
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  if (request.method === 'GET' || response.status !== 429 || !(wait <= shortWait)) return response
  await new Promise((resolve) => setTimeout(resolve, wait * 1000))
  return batchedFetch(again)
}

async function fetchSignedIn(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await patientFetch(request)
  if (response.status !== 401) return response
  forgetSession()
  await onSignedOut()
  const csrf = (await currentSession())?.csrf
  if (csrf) again.headers.set('x-csrf-token', csrf)
  return patientFetch(again)
}

export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchSignedIn })
api.use(withSession)

export interface Answer<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** JSON, where the API could send CSV too. */
type Json<Data> = Exclude<NonNullable<Data>, string>

/** The data of an answer; everything else is thrown as an `ApiError`. */
export async function ask<Data>(answer: Promise<Answer<Data>>): Promise<Json<Data>> {
  const { data, error, response } = await answer
  if (response.ok) return data as Json<Data>
  throw errorOf(response, error)
}

/** With its ETag, which a batch does not tell. */
export const withEtag = { accept: 'application/json' }

function errorOf({ status, headers }: Response, body: unknown): ApiError {
  const told = (typeof body === 'object' && body !== null ? body : {}) as {
    message?: string
    description?: string
    resource?: string
    errors?: readonly { field?: string; message?: string; error_code?: string }[]
  }
  const fields = (told.errors ?? []).flatMap(({ field, message, error_code }) =>
    field === undefined ? [] : [{ field, message: message ?? error_code ?? '' }],
  )
  // A proxy may send a date instead of seconds.
  const retryAfter = Number.parseInt(headers.get('retry-after') ?? '', 10) || undefined
  return new ApiError(status, told.message ?? 'UNKNOWN', told.description ?? '', fields, told.resource, retryAfter)
}
