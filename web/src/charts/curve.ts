interface Point {
  readonly x: number
  readonly y: number
}

/**
 * The path of a smooth line through points from left to right, by M. Steffen's method (1990): it rises and falls between
 * points only where they do, so that no curve dips below 0.
 */
export function curveThrough(points: readonly Point[]): string {
  const slopes = points.map((_, at) => slopeAt(points, at))
  return points
    .map(({ x, y }, at) => {
      const from = points[at - 1]
      if (!from) return `M${x},${y}`
      const third = (x - from.x) / 3
      const leave = from.y + third * ends(slopes[at - 1], slopes[at], from, { x, y })
      const arrive = y - third * ends(slopes[at], slopes[at - 1], from, { x, y })
      return `C${from.x + third},${leave},${x - third},${arrive},${x},${y}`
    })
    .join('')
}

/** Undefined at both ends. */
function slopeAt(points: readonly Point[], at: number): number | undefined {
  const [before, here, after] = [points[at - 1], points[at], points[at + 1]]
  if (!before || !here || !after) return undefined
  const [left, right] = [slopeOf(before, here), slopeOf(here, after)]
  const width = after.x - before.x
  const mean = (left * (after.x - here.x) + right * (here.x - before.x)) / width
  return (Math.sign(left) + Math.sign(right)) * Math.min(Math.abs(left), Math.abs(right), Math.abs(mean) / 2)
}

function slopeOf(from: Point, to: Point): number {
  return (to.y - from.y) / (to.x - from.x)
}

/** At the first and the last point the line bends as little as it can. */
function ends(own: number | undefined, other: number | undefined, from: Point, to: Point): number {
  const straight = slopeOf(from, to)
  return own ?? (other === undefined ? straight : (3 * straight - other) / 2)
}
