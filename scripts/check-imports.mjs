// The one structural check: arrows between the rooms of src/ point inwards (see ARCHITECTURE.md). Type-only imports
// count, tests may look anywhere. `--draw` prints the graph for ARCHITECTURE.md; an argument names another root.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What each room may see; a room that is not listed is refused, files directly in src/ put the rooms together. */
const rules = {
  lib: ['lib'],
  engines: ['engines', 'lib'],
  core: ['core', 'lib'],
  config: ['config', 'lib'],
  storage: ['storage', 'core', 'engines', 'lib'],
  edges: ['edges/http', 'core', 'lib', 'config (types)'],
  'edges/stream': ['edges/http', 'core', 'lib', 'config (types)', 'engines'],
  worker: 'everything',
  commands: 'everything',
  root: 'everything',
}

const root = process.argv.slice(2).find((argument) => !argument.startsWith('--'))
const source = join(root ?? dirname(dirname(fileURLToPath(import.meta.url))), 'src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const arrows = files.flatMap(arrowsOf)

if (process.argv.includes('--draw')) draw()
else complain()

function arrowsOf(file) {
  const text = readFileSync(join(source, file), 'utf8')
  // Static imports and re-exports begin a line; dynamic ones stand anywhere.
  const found = [
    ...text.matchAll(/^(?:import|export)\s+(?<what>[^'"]*?)\bfrom\s*['"](?<target>\.[^'"]+)['"]/gm),
    ...text.matchAll(/^import\s*['"](?<target>\.[^'"]+)['"]/gm),
    ...text.matchAll(/\bimport\(\s*['"](?<target>\.[^'"]+)['"]/g),
  ]
  return found.map(({ groups: { what = '', target } }) => {
    const to = posix.join(posix.dirname(file), target).replace(/\.js$/, '.ts')
    const names = what.replace(/[{}]/g, '').split(',')
    const types = /^type\b/.test(what) || names.every((name) => /^\s*(type\s|$)/.test(name) && what !== '')
    return { from: file, to, types }
  })
}

/** `edges/v4` for an edge, the folder for other rooms, `root` for the files that put them together. */
function roomOf(file) {
  const [first, second, third] = file.split('/')
  if (second === undefined) return 'root'
  return first === 'edges' && third !== undefined ? `edges/${second}` : first
}

function complain() {
  const wrong = arrows.filter(({ from, to, types }) => !allowed(roomOf(from), roomOf(to), types))
  for (const { from, to } of wrong) console.error(`src/${from} must not import src/${to}: ${reason(roomOf(from))}`)
  if (wrong.length > 0) process.exit(1)
  console.log(`${files.length} files, ${arrows.length} imports between them, every arrow points inwards.`)
}

function ruleOf(room) {
  return rules[room] ?? rules[room.split('/')[0]]
}

function allowed(from, to, types) {
  const rule = ruleOf(from)
  return (
    rule === 'everything' || from === to || (rule?.includes(to) ?? false) || (types && rule?.includes(`${to} (types)`))
  )
}

function reason(room) {
  const rule = ruleOf(room)
  if (!rule) return `${room} is no room yet; give it a line in scripts/check-imports.mjs.`
  return `${room} may see ${[...new Set([room, ...rule])].join(', ')}.`
}

function draw() {
  const lines = new Set()
  for (const { from, to } of arrows)
    if (roomOf(from) !== roomOf(to)) lines.add(`  ${node(roomOf(from))} --> ${node(roomOf(to))}`)
  console.log(['flowchart TD', ...[...lines].sort()].join('\n'))
}

function node(room) {
  return room === 'root' ? 'app["app.ts, main.ts"]' : room.includes('/') ? `${room.replace('/', '_')}["${room}"]` : room
}
