/** A form that sends an operation's request, and shows the answer as it comes. */
import { type ApiDocument, type ApiOperation, answerOf, exampleFrom, type Parameter } from './document.js'
import { element } from './element.js'

export interface Caller {
  /** Of the session of this browser. */
  readonly csrf: string | undefined
  /** The token that was entered; it wins over the session, as in the API. */
  token(): string
}

export interface Described {
  readonly document: ApiDocument
  readonly operation: ApiOperation
  readonly path: string
  readonly method: string
}

export function tryIt(described: Described, caller: Caller): HTMLElement {
  const { document, operation } = described
  const parameters = (operation.parameters ?? []).map((parameter) => ({ parameter, input: inputFor(parameter) }))
  const body = bodyField(document, operation)
  const accept = acceptField(document, operation)
  const answer = element('div', { class: 'answer', 'aria-live': 'polite' })
  const send = element('button', { class: 'send' }, 'Send')
  let sent: AbortController | undefined
  const submit = async (event: Event) => {
    event.preventDefault()
    if (sent) return sent.abort()
    sent = new AbortController()
    send.textContent = 'Stop'
    try {
      const values = parameters.map(({ parameter, input }) => ({ ...parameter, value: input.value }))
      const request = requestOf(described, values, caller)
      if (accept.value) request.headers.set('accept', accept.value)
      const content = body?.content()
      if (content?.type) request.headers.set('content-type', content.type)
      const init = { method: described.method.toUpperCase(), headers: request.headers, signal: sent.signal }
      await show(answer, await fetch(request.url, { ...init, ...(content && { body: content.value }) }))
    } catch (error) {
      if (!sent.signal.aborted) answer.replaceChildren(element('p', {}, `No answer: ${String(error)}`))
    } finally {
      sent = undefined
      send.textContent = 'Send'
    }
  }
  return element(
    'form',
    { class: 'try', 'aria-label': 'Try it', submit: (event) => void submit(event) },
    parameters.map(({ parameter: { name, required }, input }) => labelled(name, input, required)),
    body?.nodes ?? [],
    accept.options.length > 1 && labelled('Answer as', accept),
    send,
    answer,
  )
}

function labelled(name: string, field: HTMLElement, required = false): HTMLElement {
  return element('label', {}, element('span', {}, name, required && ' *'), field)
}

/** Filled in where the request needs it; other examples are hints. */
function inputFor({ required, example, schema }: Parameter): HTMLInputElement | HTMLSelectElement {
  const values = schema?.enum ?? (schema?.type === 'boolean' ? [true, false] : undefined)
  if (values) {
    const options = new Set([...(required ? [] : ['']), ...values.map(String)])
    return element(
      'select',
      {},
      [...options].map((value) => element('option', {}, value)),
    )
  }
  const text = [example ?? ''].flat().join(', ')
  return element('input', { required: required === true, [required ? 'value' : 'placeholder']: text })
}

interface SentBody {
  readonly type: string | undefined
  readonly value: string | FormData | File
}

function bodyField(document: ApiDocument, { requestBody }: ApiOperation) {
  const media = Object.entries(requestBody?.content ?? {})
  const [first] = media
  if (!first) return undefined
  const text = element('textarea', { spellcheck: 'false', rows: 10 })
  const file = element('input', { type: 'file' })
  const type = element(
    'select',
    {},
    media.map(([name]) => element('option', {}, name)),
  )
  const [textLabel, fileLabel] = [labelled('Body', text), labelled('File', file)]
  const choose = () => {
    const isText = isWritten(type.value)
    textLabel.hidden = !isText
    fileLabel.hidden = isText
    const example = exampleFrom(document, requestBody?.content[type.value]?.schema)
    if (type.value === 'application/json') text.value = JSON.stringify(example, null, 2)
    else text.value = type.value.endsWith('urlencoded') ? String(new URLSearchParams(Object(example))) : ''
  }
  type.addEventListener('change', choose)
  choose()
  return {
    nodes: [media.length > 1 && labelled('Content-Type', type), textLabel, fileLabel],
    content(): SentBody {
      if (isWritten(type.value)) return { type: type.value, value: text.value }
      const [chosen] = file.files ?? []
      if (!chosen) throw new Error('choose a file first')
      if (type.value !== 'multipart/form-data') return { type: type.value, value: chosen }
      const form = new FormData()
      form.set('file', chosen)
      return { type: undefined, value: form }
    },
  }
}

function isWritten(type: string): boolean {
  return /json|urlencoded|^text/.test(type)
}

function acceptField(document: ApiDocument, { responses = {} }: ApiOperation): HTMLSelectElement {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const types = successes.flatMap(([, answer]) => Object.keys(answerOf(document, answer).content ?? {}))
  return element(
    'select',
    {},
    [...new Set(types)].map((type) => element('option', {}, type)),
  )
}

interface Sent extends Parameter {
  readonly value: string
}

function requestOf({ document, path }: Described, values: readonly Sent[], caller: Caller) {
  const of = (place: Parameter['in']) => values.filter((each) => each.in === place && each.value !== '')
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const { value = '' } = values.find((each) => each.in === 'path' && each.name === name) ?? {}
      // The slash of <domain>/<hash> stays.
      return value.split('/').map(encodeURIComponent).join('/')
    }),
    location.origin,
  )
  for (const { name, value, schema } of of('query')) {
    const isList = schema?.type === 'array'
    for (const each of isList ? value.split(/\s*,\s*/) : [value]) url.searchParams.append(name, each)
  }
  const headers = new Headers(of('header').map(({ name, value }) => [name, value]))
  const token = caller.token()
  const isInQuery = Object.keys(document.security?.[0] ?? {})[0] === 'token'
  if (token && isInQuery) url.searchParams.set('access_token', token)
  else if (token) headers.set('authorization', `Bearer ${token}`)
  else if (caller.csrf !== undefined) headers.set('x-csrf-token', caller.csrf)
  return { url, headers }
}

async function show(answer: HTMLElement, response: Response): Promise<void> {
  const { status, statusText, headers } = response
  const type = headers.get('content-type') ?? ''
  const code = element('code')
  const state = element(
    'p',
    { class: status < 400 ? 'good' : 'bad' },
    element('strong', {}, String(status)),
    ` ${statusText}`,
  )
  answer.replaceChildren(state, element('pre', { tabindex: 0, 'aria-label': 'Answer' }, code))
  if (/^(image|application\/pdf)/.test(type)) {
    const blob = await response.blob()
    code.textContent = `${type}, ${blob.size} bytes`
    return
  }
  // Live events come without an end.
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    text += part.value
    code.textContent = text
  }
  if (type.includes('json') && text) code.textContent = JSON.stringify(JSON.parse(text), null, 2)
}
