/** Runs one command from argv. Only this file knows the process: arguments, environment, streams and exit code. */
import { setPriority } from 'node:os'
import { run } from './commands/run.js'
import { keepTickShape } from './lib/keep-tick-shape.js'

// Files are readable only by their owner, also in a shared data directory: they contain IP addresses of visitors.
process.umask(0o077)
keepTickShape()
for (const stream of [process.stdout, process.stderr]) stream.on('error', onOutputError)

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  terminal: process.stdout.isTTY === true,
  stdin: process.stdin,
  print: (line) => process.stdout.write(`${line}\n`),
  ...(process.stderr.isTTY && { draw: (line: string) => process.stderr.write(`\r\x1b[2K${line}`) }),
  complain: (line) => process.stderr.write(`${line}\n`),
  lowerPriority,
})

/** A tenth of the processor when others want all of it. With less, a write would hold the lock of SQLite for too long. */
function lowerPriority(): void {
  try {
    setPriority(10)
  } catch {
    // Not possible on this system: the command only takes more from others.
  }
}

/**
 * Standard output may be a log file on a full disk, or a closed pipe. The service keeps running and logs again when it
 * can: redirects matter more than logs. A command ends.
 */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (process.argv[2] === 'serve') return
  // The reader of the pipe (`| head`) has exited.
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`Cannot write to standard output (${error.message}).\n`, () => process.exit(1))
}
