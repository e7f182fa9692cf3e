// The real ClickHouse engine (chdb) behind an HTTP interface like the server's own, as far as the click log uses it. Runs
// as a process of its own: the engine is half a gigabyte of native code with threads of its own. Writes its port as the
// first line, keeps its data in the given folder, which a killed one leaves behind, and deletes it and ends when whoever
// started it closes its standard input.
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Session } from 'chdb'

const [user = 'default', password = '', folder = '', port = '0'] = process.argv.slice(2)
const session = new Session(folder)
// Of the settings of queries the one that matters here: without it they may be 256 kB long.
await session.queryAsync('SET max_query_size = 67108864')

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  try {
    authenticate(request.headers)
    const answer = await execute(Object.fromEntries(searchParams), Buffer.concat(chunks))
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=UTF-8' }).end(answer)
  } catch (error) {
    const message = String(error?.message ?? error).replace(/^Query failed: /, '')
    const code = /Code: (\d+)/.exec(message)?.[1] ?? '1002'
    const status = { 516: 403, 60: 404, 81: 404, 62: 400 }[code] ?? 500
    response.writeHead(status, { 'X-ClickHouse-Exception-Code': code }).end(`${message}\n`)
  }
})

function authenticate(headers) {
  if (headers['x-clickhouse-user'] === user && (headers['x-clickhouse-key'] ?? '') === password) return
  throw new Error(
    `Code: 516. DB::Exception: ${headers['x-clickhouse-user']}: Authentication failed. (AUTHENTICATION_FAILED)`,
  )
}

async function execute({ query, ...parameters }, body) {
  const insert = /^INSERT INTO (\S+) \(([^)]*)\) FORMAT (JSONCompactEachRow|Parquet)$/.exec(query ?? '')
  if (!insert) return Buffer.from((await session.queryAsync(body.toString(), { format: 'JSONCompactEachRow' })).bytes())
  const [, quoted, columns, format] = insert
  if (format === 'Parquet') return insertFile(quoted, columns, body)
  const table = quoted.replaceAll('`', '')
  const names = Object.keys(parameters).filter((name) => /insert|input_format/.test(name))
  const settings = Object.fromEntries(names.map((name) => [name, parameters[name]]))
  await session.insert({ table, columns: columns.split(', '), values: body, format, settings })
  return ''
}

/** The engine's own insert reads only texts. */
async function insertFile(table, columns, body) {
  const file = join(folder, `${randomUUID()}.parquet`)
  writeFileSync(file, body)
  await session.queryAsync(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM file('${file}', 'Parquet')`)
  rmSync(file)
  return ''
}

function end() {
  rmSync(folder, { recursive: true, force: true })
  // At once: nothing of it is needed any more, and the engine takes its time to close.
  process.kill(process.pid, 'SIGKILL')
}

server.keepAliveTimeout = 10_000
server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', end).resume()
process.on('SIGTERM', end)
