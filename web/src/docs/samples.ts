/** Examples of a request in curl, TypeScript and Python, made of the OpenAPI document. */
import { type ApiDocument, type ApiOperation, exampleFrom } from './document.js'

export const languages = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

interface RequestExample {
  readonly method: string
  readonly url: string
  readonly needsToken: boolean
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  /** Fields of a form with a file. */
  readonly upload?: Readonly<Record<string, string>>
}

export function sampleOf(
  document: ApiDocument,
  { path, method, origin }: { readonly path: string; readonly method: string; readonly origin: string },
  language: Language,
): string {
  const operation = document.paths[path]?.[method]
  if (!operation) return ''
  const example = exampleOf(document, operation, { path, method, origin })
  return { curl, TypeScript: typescript, Python: python }[language](example)
}

function exampleOf(
  document: ApiDocument,
  operation: ApiOperation,
  { path, method, origin }: { readonly path: string; readonly method: string; readonly origin: string },
): RequestExample {
  const parameters = operation.parameters ?? []
  const url = new URL(origin)
  url.pathname = path.replace(/\{(\w+)\}/g, (_, wanted: string) =>
    encodeURIComponent(String(parameters.find(({ name }) => name === wanted)?.example ?? wanted)),
  )
  for (const { name, in: place, example } of parameters) {
    if (place !== 'query' || example === undefined) continue
    for (const value of [example].flat()) url.searchParams.append(name, String(value))
  }
  const scheme = Object.keys(document.security?.[0] ?? {})[0]
  const needsToken = operation.security === undefined || operation.security.length > 0
  if (needsToken && scheme === 'token') url.searchParams.set('access_token', 'TOKEN')
  return {
    method: method.toUpperCase(),
    url: url.href,
    needsToken: needsToken && scheme === 'bearer',
    ...bodyOf(document, operation),
  }
}

function bodyOf(
  document: ApiDocument,
  { requestBody }: ApiOperation,
): Pick<RequestExample, 'json' | 'form' | 'upload'> {
  const content = requestBody?.content ?? {}
  const { 'application/json': json, 'application/x-www-form-urlencoded': form } = content
  if (json) return { json: exampleFrom(document, json.schema) }
  if (form) return { form: exampleFrom(document, form.schema) as Readonly<Record<string, string>> }
  return content['multipart/form-data'] ? { upload: { file: 'logo.png' } } : {}
}

function curl({ method, url, needsToken, json, form, upload }: RequestExample): string {
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(needsToken ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(json === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(json, null, 2))}`]),
    ...Object.entries(form ?? {}).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...Object.entries(upload ?? {}).map(([name, file]) => `-F ${quoted(`${name}=@${file}`)}`),
  ]
  return parts.join(' \\\n  ')
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function typescript({ method, url, needsToken, json, form, upload }: RequestExample): string {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code for the reader
    ...(needsToken ? ['Authorization: `Bearer ${process.env.TOKEN}`'] : []),
    ...(json === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ]
  const body =
    json !== undefined
      ? `JSON.stringify(${indented(JSON.stringify(json, null, 2))})`
      : form
        ? `new URLSearchParams(${indented(JSON.stringify(form, null, 2))})`
        : upload
          ? 'form'
          : undefined
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} },`] : []),
    ...(body === undefined ? [] : [`body: ${body},`]),
  ]
  const call = options.length > 0 ? `${JSON.stringify(url)}, {\n  ${options.join('\n  ')}\n}` : JSON.stringify(url)
  const files = Object.entries(upload ?? {}).map(
    ([name, file]) => `form.set('${name}', await openAsBlob('${file}'), '${file}')`,
  )
  const before = upload ? [`import { openAsBlob } from 'node:fs'`, '', 'const form = new FormData()', ...files] : []
  return [
    ...before,
    `const response = await fetch(${call})`,
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

function python({ method, url, needsToken, json, form, upload }: RequestExample): string {
  const rest = [
    ...(needsToken ? [`headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},`] : []),
    ...(json === undefined ? [] : [`json=${literal(json)},`]),
    ...(form ? [`data=${literal(form)},`] : []),
    ...Object.entries(upload ?? {}).map(([name, file]) => `files={"${name}": open("${file}", "rb")},`),
  ]
  return [
    ...(needsToken ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    ...rest.map((each) => `    ${each}`),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}

function literal(value: unknown, space = '    '): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${space}    `
  const items = Array.isArray(value)
    ? value.map((each) => literal(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${literal(each, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (items.length === 0) return open + close
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${space}${close}`
}
