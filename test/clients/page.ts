/** docs/clients.md: a table of all clients, and a section for each with its calls. */
import type { Client } from './clients.js'

export interface Result {
  readonly call: string
  readonly passed: boolean
  /** What the client answered instead. */
  readonly said: string | undefined
  /** Why it cannot pass. */
  readonly reason: string | undefined
  readonly requests: readonly { readonly method: string; readonly path: string; readonly status: number }[]
}

const registries = { node: 'npm', python: 'PyPI', python2: 'PyPI, Python 2', java: 'Maven' }

/** Clients that were not run keep the section of the former page. */
export function pageWith(
  clients: readonly Client[],
  results: ReadonlyMap<Client, readonly Result[]>,
  former: string,
): string {
  const sections = clients.map((client) => {
    const tried = results.get(client)
    return tried ? section(client, tried) : sectionOf(former, client)
  })
  return [introduction, table(clients, sections), ...sections].join('\n')
}

/** From its heading to the next one. */
export function sectionOf(page: string, client: Client): string {
  const [, rest] = page.split(`\n## ${client.name}\n`)
  if (rest === undefined) return ''
  const [own = ''] = rest.split('\n## ')
  return `## ${client.name}\n${own.trimEnd()}\n`
}

const introduction = `# Clients of the public service

Published clients of the API of Bitly, installed from their registries and unchanged. They were pointed at this service by its host
name or its base URL alone, over HTTPS behind [Caddy](../deploy/README.md), with

\`\`\`
--link-word bitlink:bitly --link-word-default on --domain-aliases bit.ly
\`\`\`

Each call that a client offers was made once and its answer compared with what the client expects. [From the public
service](from-the-public-service.md) describes the move. Made by \`UPDATE=1 npx vitest run test/clients\`.
`

function table(clients: readonly Client[], sections: readonly string[]): string {
  const rows = clients.map(({ name, version, language }, index) => {
    const results = [...(sections[index] ?? '').matchAll(/^\|.*\| (passed|failed)[^|]*\|$/gm)].map(
      ([, result]) => result,
    )
    const passed = results.filter((result) => result === 'passed').length
    const anchor = name.toLowerCase().replace(/[^\w-]/g, '')
    return `| [${name}](#${anchor}) | ${registries[language]} | ${version} | ${results.length} | ${passed} | ${results.length - passed} |`
  })
  return [
    '| client | registry | version | calls | passed | failed |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    'A call that fails asks for an operation that the service does not have, or is wrong in the client itself; the reason is given.',
    '',
  ].join('\n')
}

function section({ name, version, pointed, note }: Client, results: readonly Result[]): string {
  const rows = results.map(({ call, passed, reason, requests }) => {
    const made = [...new Set(requests.map(({ method, path }) => `\`${method} ${path}\``))].join(', ') || 'none'
    return `| \`${call}\` | ${made} | ${passed ? 'passed' : `failed: ${reason}`} |`
  })
  return [
    `## ${name}`,
    `Version ${version}, pointed here with \`${pointed}\`.${note === undefined ? '' : ` ${note}`}`,
    '',
    '| call | requests | result |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
