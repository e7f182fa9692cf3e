/**
 * Measures contestants in turns, several rounds, so that a slow minute of the machine hits all of them. The ratio is
 * the median of the rounds' own ratios, not of figures taken minutes apart.
 */
export async function rounds(count, contestants, say) {
  const measured = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
  for (let round = 1; round <= count; round++) {
    for (const [name, measure] of Object.entries(contestants)) measured[name].push(await measure())
    say(
      `round ${round} of ${count}: ${Object.keys(contestants)
        .map((name) => `${name} ${Math.round(measured[name].at(-1))}/s`)
        .join(', ')}`,
    )
  }
  return {
    median: (name) => median(measured[name]),
    ratio: (name, base) => median(measured[name].map((figure, round) => figure / measured[base][round])),
  }
}

export function median(figures) {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** A table row whose ratio should reach a goal. */
export function against(what, figure, unit, ratio, goal) {
  return { what, figure, unit, ratio, goal: `>= ${goal} of bare`, met: ratio >= goal }
}
