// Checks the structure of src/ (see ARCHITECTURE.md): imports between rooms point inwards, and neither folders nor
// files import each other in a circle. Type-only imports count, tests may import anything. `--draw` prints the rooms
// and `--draw core` the folders of one room as a Mermaid chart; `--root PATH` checks another tree.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from './arguments.mjs'

/** The rooms that each room may import. A room without a line is an error; `root` is src/main.ts. */
const rules = {
  lib: ['lib'],
  engines: ['engines', 'lib'],
  core: ['core', 'lib'],
  config: ['config', 'lib'],
  storage: ['storage', 'storage/sql', 'core', 'engines', 'lib'],
  'storage/sql': ['core', 'lib'],
  edges: ['edges/http', 'core', 'lib', 'config (types)'],
  'edges/stream': ['edges/http', 'core', 'lib', 'config (types)', 'engines'],
  runtime: 'everything',
  'runtime/threads': ['runtime/stores', 'storage', 'storage/sql', 'core', 'engines', 'config', 'lib'],
  'runtime/stores': ['storage', 'storage/sql', 'core', 'config', 'lib'],
  commands: 'everything',
  root: 'everything',
}

const { values: flags, positionals } = readArguments('node scripts/check-imports.mjs [--draw [ROOM]] [--root PATH]', {
  options: { draw: { type: 'boolean' }, root: { type: 'string' } },
  allowPositionals: true,
})
const source = join(flags.root ?? dirname(dirname(fileURLToPath(import.meta.url))), 'src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /(?<!\.(test|contract|builder))\.ts$/.test(file))
const arrows = files.flatMap(arrowsOf)

if (flags.draw) draw(positionals[0])
else complain()

function arrowsOf(file) {
  const text = readFileSync(join(source, file), 'utf8')
  // Static imports and re-exports begin a line; dynamic ones can be anywhere.
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

/** `edges/v4` for an edge, a folder with a rule of its own, the first folder for others, `root` for files directly in src/. */
function roomOf(file) {
  const [first, second, third] = file.split('/')
  if (second === undefined) return 'root'
  if (first !== 'edges' && `${first}/${second}` in rules) return `${first}/${second}`
  return first === 'edges' && third !== undefined ? `edges/${second}` : first
}

function complain() {
  const wrong = arrows.filter(({ from, to, types }) => !allowed(roomOf(from), roomOf(to), types))
  for (const { from, to } of wrong) console.error(`src/${from} must not import src/${to}: ${reason(roomOf(from))}`)
  const circles = [...circlesAmong(folderOf), ...circlesAmong((file) => file)]
  for (const circle of circles) console.error(`a circle of imports: ${circle.join(' -> ')} -> ${circle[0]}`)
  if (wrong.length + circles.length > 0) process.exit(1)
  console.log(`${files.length} files, ${arrows.length} imports between them: all point inwards, none in a circle.`)
}

function folderOf(file) {
  return file.includes('/') ? posix.dirname(file) : file
}

/** One circle for each strongly connected group, the shortest one. */
function circlesAmong(nodeOf) {
  const next = new Map(files.map((file) => [nodeOf(file), new Set()]))
  for (const { from, to } of arrows) if (nodeOf(from) !== nodeOf(to)) next.get(nodeOf(from)).add(nodeOf(to))
  const circles = []
  for (const start of [...next.keys()].sort()) {
    if (circles.some((circle) => circle.includes(start))) continue
    const wayHome = shortestWay(next, start)
    if (wayHome) circles.push(wayHome)
  }
  return circles
}

/** From a node back to itself, breadth first; undefined if there is no path. */
function shortestWay(next, start) {
  const ways = [[start]]
  const seen = new Set()
  for (const way of ways) {
    for (const node of next.get(way.at(-1)) ?? []) {
      if (node === start) return way
      if (!seen.has(node)) ways.push([...way, node])
      seen.add(node)
    }
  }
  return undefined
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

/** Rooms, or the folders of one room, without arrows that follow from others (transitive reduction). */
function draw(room) {
  const nodeOf = room === undefined ? roomOf : folderOf
  const shown = (file) => room === undefined || file.startsWith(`${room}/`)
  const next = new Map()
  for (const { from, to } of arrows) {
    if (!shown(from) || !shown(to) || nodeOf(from) === nodeOf(to)) continue
    next.set(nodeOf(from), (next.get(nodeOf(from)) ?? new Set()).add(nodeOf(to)))
  }
  const lines = [...next].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => room === undefined || ![...targets].some((other) => other !== to && reaches(next, other, to)))
      .map((to) => `  ${node(from)} --> ${node(to)}`),
  )
  console.log(['flowchart TD', ...lines.sort()].join('\n'))
}

function reaches(next, from, to) {
  const targets = [...(next.get(from) ?? [])]
  return targets.includes(to) || targets.some((each) => reaches(next, each, to))
}

function node(name) {
  if (name === 'root') return 'main["main.ts"]'
  const label = name.slice(name.lastIndexOf('/') + 1)
  return name.includes('/') ? `${name.replaceAll(/[/-]/g, '_')}["${name.startsWith('core/') ? label : name}"]` : name
}
