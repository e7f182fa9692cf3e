import { timestamp } from './present.js'

/**
 * Formats ascending or descending timestamps. Computes the calendar date once per day: 50,000 minutes block the HTTP
 * thread for 7 ms instead of 54.
 */
export function seriesTimestamps(): (at: number) => string {
  let [day, date] = [Number.NaN, '']
  return (at) => {
    const today = Math.floor(at / dayLength)
    if (today !== day) {
      day = today
      date = timestamp(today * dayLength).slice(0, 'YYYY-MM-DDT'.length)
    }
    const seconds = Math.floor((at - day * dayLength) / 1000)
    return `${date}${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}+0000`
  }
}

const dayLength = 86_400_000

function two(number: number): string {
  return number < 10 ? `0${Math.floor(number)}` : String(Math.floor(number))
}
