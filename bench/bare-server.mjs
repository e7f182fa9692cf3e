// The baseline: a minimal node:http server. GET returns a 302, or what a file says; POST reads the body and returns fixed
// JSON.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { readArguments } from '../scripts/arguments.mjs'

const { positionals } = readArguments('node bench/bare-server.mjs PORT [FILE]', { allowPositionals: true })
const shortened = JSON.stringify({
  references: { group: 'http://localhost:8080/v4/groups/B0000000000' },
  link: 'http://localhost:8080/0000000',
  id: 'localhost:8080/0000000',
  long_url: 'https://example.com/0000000',
  archived: false,
  created_at: '2026-01-01T00:00:00+0000',
  custom_shortlinks: [],
  tags: [],
  deeplinks: [],
})

const [port, file] = positionals
const given = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'))
const body = given && Buffer.from(given.body, 'base64')

createServer((request, response) => {
  if (given) {
    response.writeHead(given.status, given.headers)
    response.end(body)
    return
  }
  if (request.method === 'GET') {
    response.writeHead(302, { Location: 'https://example.com/landing?page=1', 'Content-Length': 0 })
    response.end()
    return
  }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': shortened.length })
    response.end(shortened)
  })
}).listen(Number(port), '127.0.0.1')
