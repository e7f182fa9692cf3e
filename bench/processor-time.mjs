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
