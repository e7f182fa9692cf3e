/** The clock of one process, set by libfaketime. The steady clock of the machine is left alone. */
import { existsSync, renameSync, writeFileSync } from 'node:fs'

const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file))

export const whyNoFakeClock: string | undefined = library === undefined ? 'libfaketime is not installed' : undefined

/** The shell line for `startProcess`. The process reads its clock from this file. */
export function withClockFrom(file: string): string {
  setClock(file, '+0')
  return `export LD_PRELOAD=${library} FAKETIME_TIMESTAMP_FILE=${file} FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1`
}

/** `offset`: from the real time, such as `+2d` or `-90s`. */
export function setClock(file: string, offset: string): void {
  // The process may read it at any moment.
  writeFileSync(`${file}.new`, `${offset}\n`)
  renameSync(`${file}.new`, file)
}
