/** The ticks of an axis for whole numbers, from 0: about four round steps. */
export function ticksTo(highest: number): readonly number[] {
  const top = Math.max(4, highest)
  const power = 10 ** Math.floor(Math.log10(top / 4))
  const step = power * (roundSteps.find((round) => round * power >= top / 4) ?? 10)
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step)
}

const roundSteps = [1, 2, 5, 10]
