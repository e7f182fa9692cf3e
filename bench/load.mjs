// Sends bounded load to loopback with wrk, or with autocannon where wrk is missing, and reads what was answered.
import { spawn, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
export const connections = 64
export const browser = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  referer: 'https://www.google.com/search?q=shortlink',
  'accept-language': 'en-US,en;q=0.9',
}
export const tool = spawnSync('wrk', ['-v']).error ? 'autocannon' : 'wrk'

/**
 * `plan`: { url, seconds, headers, script } where script names a Lua file of this folder with its arguments. Answers
 * { perSecond, answered }.
 */
export function load(plan) {
  return tool === 'wrk' ? loadWithWrk(plan) : loadWithAutocannon(plan)
}

async function loadWithWrk({ url, seconds, headers = browser, script }) {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`]
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`)
  if (script) args.push('-s', join(here, script.file))
  args.push(url)
  if (script) args.push('--', ...script.args)
  const output = await outputOf('wrk', args)
  const unexpected = /Non-2xx or 3xx responses: (\d+)/.exec(output)
  if (unexpected) throw new Error(`${unexpected[1]} unexpected answers from ${url}\n${output}`)
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    answered: Number(/(\d+) requests in/.exec(output)?.[1]),
  }
}

async function loadWithAutocannon({ url, seconds, headers = browser, script }) {
  const { default: autocannon } = await import('autocannon')
  const result = await autocannon({ url, connections, duration: seconds, headers, ...(script?.autocannon ?? {}) })
  if (result.non2xx > result['3xx'])
    throw new Error(`unexpected answers from ${url}: ${JSON.stringify(result.statusCodeStats)}`)
  return { perSecond: result.requests.average, answered: result.requests.total }
}

function outputOf(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}`))))
  })
}
