import { readFileSync } from 'node:fs'

/**
 * Seconds of processor time that a process and its main thread have used: what a shared machine cannot spoil as it
 * spoils throughput. In a Node service the main thread is the one that answers HTTP. Linux counts in hundredths of a
 * second; elsewhere the answer is undefined.
 */
export function processorTime(pid) {
  if (process.platform !== 'linux') return undefined
  return { process: secondsIn(`/proc/${pid}/stat`), mainThread: secondsIn(`/proc/${pid}/task/${pid}/stat`) }
}

function secondsIn(file) {
  const text = readFileSync(file, 'latin1')
  // The name of the program, in brackets, may hold spaces; user and system time are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
