import { readFileSync } from 'node:fs'

/**
 * Processor time in seconds that a process and its main thread have used; unlike throughput, other work on the
 * machine does not change it. In a Node service the main thread answers HTTP. Linux only (in hundredths of a second);
 * otherwise undefined.
 */
export function processorTime(pid) {
  if (process.platform !== 'linux') return undefined
  return { process: secondsIn(`/proc/${pid}/stat`), mainThread: secondsIn(`/proc/${pid}/task/${pid}/stat`) }
}

function secondsIn(file) {
  const text = readFileSync(file, 'latin1')
  // The program name, in brackets, may contain spaces; user and system time are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/**
 * What the host of a virtual machine took away from all processors, of all time so far, in hundredths of a second.
 * Linux only; elsewhere nothing is known to be stolen.
 */
export function stolenTime() {
  if (process.platform !== 'linux') return { stolen: 0, all: 0 }
  const [line] = readFileSync('/proc/stat', 'latin1').split('\n')
  // user, nice, system, idle, iowait, irq, softirq, steal; the times of guests are in the first two already.
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return { stolen: times[7] ?? 0, all: times.reduce((sum, time) => sum + time, 0) }
}

/** The share of the time between two measurements that was stolen. */
export function stolenShare(before, after) {
  const all = after.all - before.all
  return all > 0 ? (after.stolen - before.stolen) / all : 0
}
