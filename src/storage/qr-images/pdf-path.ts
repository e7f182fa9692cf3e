/** Path data of a drawing as operators of PDF, which knows absolute points and cubic curves only. */
import { tidy } from '../../core/qr-design/paths.js'

type Point = readonly [x: number, y: number]

/** How many numbers each command takes. */
const counts: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, c: 6, q: 4, z: 0 }

const token = /[a-z]|-?(?:\d+\.?\d*|\.\d+)/gi

export function pdfPath(path: string): string {
  const operators: string[] = []
  let [now, first]: [Point, Point] = [
    [0, 0],
    [0, 0],
  ]
  for (const { command, numbers } of commandsOf(path)) {
    const isRelative = command === command.toLowerCase()
    const [x, y] = isRelative ? now : [0, 0]
    const points: Point[] = []
    for (let at = 0; at + 1 < numbers.length; at += 2) points.push([x + (numbers[at] ?? 0), y + (numbers[at + 1] ?? 0)])
    switch (command.toLowerCase()) {
      case 'm':
        first = points[0] ?? now
        operators.push(`${written(points)} m`)
        break
      case 'h':
        points.push([x + (numbers[0] ?? 0), now[1]])
        operators.push(`${written(points)} l`)
        break
      case 'v':
        points.push([now[0], y + (numbers[0] ?? 0)])
        operators.push(`${written(points)} l`)
        break
      case 'q':
        operators.push(`${written(cubic(now, points))} c`)
        break
      case 'z':
        points.push(first)
        operators.push('h')
        break
      default:
        operators.push(`${written(points)} ${command.toLowerCase()}`)
    }
    now = points.at(-1) ?? now
  }
  return operators.join('\n')
}

/** A command that is followed by more numbers than it takes is repeated; after `m` as `l`. */
function* commandsOf(path: string): Iterable<{ readonly command: string; readonly numbers: readonly number[] }> {
  const tokens = path.match(token) ?? []
  let command = ''
  for (let at = 0; at < tokens.length; ) {
    const text = tokens[at] ?? ''
    if (/[a-z]/i.test(text)) {
      command = text
      at++
    } else if (command.toLowerCase() === 'm') command = command === 'm' ? 'l' : 'L'
    const count = counts[command.toLowerCase()]
    if (count === undefined) throw new Error(`the path command ${command} cannot be written as PDF`)
    yield { command, numbers: tokens.slice(at, at + count).map(Number) }
    at += count
  }
}

/** The same curve with two handles instead of one. */
function cubic(from: Point, [handle = from, to = from]: readonly Point[]): readonly Point[] {
  const towards = ([x, y]: Point): Point => [x + ((handle[0] - x) * 2) / 3, y + ((handle[1] - y) * 2) / 3]
  return [towards(from), towards(to), to]
}

function written(points: readonly Point[]): string {
  return points.map(([x, y]) => `${tidy(x)} ${tidy(y)}`).join(' ')
}
