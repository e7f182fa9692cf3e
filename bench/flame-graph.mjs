// Draws profiles of Node (.cpuprofile) as flame graphs: each box is a function, as wide as the time it took with all that
// it called, and those that it called stand on it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const width = 1600
const line = 17
/** A narrower box says nothing. */
const leastWidth = 0.5
/** Waiting takes no processor. */
const idle = new Set(['(idle)', '(program)'])

/** One SVG for each thread that worked; returns their names. */
export function drawProfiles(directory, name) {
  const target = fileURLToPath(new URL('./profiles/', import.meta.url))
  mkdirSync(target, { recursive: true })
  const roots = readdirSync(directory)
    .filter((file) => file.endsWith('.cpuprofile'))
    .map((file) => treeOf(JSON.parse(readFileSync(join(directory, file), 'utf8'))))
    .filter((root) => root.time > 0)
    .sort((one, other) => other.time - one.time)
  return roots.map((root, index) => {
    const file = join(target, `${name}-${index + 1}.svg`)
    writeFileSync(file, svgOf(root))
    return file
  })
}

/** Microseconds of each call path, with what it called. */
function treeOf({ nodes, samples, timeDeltas }) {
  const own = new Map()
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + timeDeltas[index])
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const frameOf = (node) => {
    const { functionName, url, lineNumber } = node.callFrame
    const place = url ? ` ${basename(url)}:${lineNumber + 1}` : ''
    const children = (node.children ?? [])
      .map((id) => byId.get(id))
      .filter((child) => !idle.has(child.callFrame.functionName))
      .map(frameOf)
    const time = (own.get(node.id) ?? 0) + children.reduce((sum, child) => sum + child.time, 0)
    return { name: `${functionName || '(anonymous)'}${place}`, isOurs: url.includes('/dist/'), time, children }
  }
  return frameOf(nodes[0])
}

function svgOf(root) {
  const boxes = []
  let deepest = 0
  const place = (frame, x, depth) => {
    const w = (frame.time / root.time) * width
    if (w < leastWidth) return
    deepest = Math.max(deepest, depth)
    boxes.push({ ...frame, x, w, depth })
    let next = x
    for (const child of frame.children.toSorted((one, other) => other.time - one.time)) {
      place(child, next, depth + 1)
      next += (child.time / root.time) * width
    }
  }
  place(root, 0, 0)
  const height = (deepest + 1) * line
  const drawn = boxes.map(({ name, isOurs, time, x, w, depth }) => {
    const share = ((time / root.time) * 100).toFixed(1)
    const y = height - (depth + 1) * line
    const shown = name.slice(0, Math.floor(w / 6.2))
    const text = w > 30 ? `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(shown)}</text>` : ''
    const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${w.toFixed(1)}" height="${line - 1}" fill="${isOurs ? '#f4a261' : '#cfd8dc'}"/>`
    return `<g><title>${escaped(name)}: ${share} %, ${(time / 1000).toFixed(1)} ms</title>${box}${text}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="monospace" font-size="10">\n${drawn.join('\n')}\n</svg>\n`
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
