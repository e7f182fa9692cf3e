/** argv -> one command. What a process is (arguments, environment, streams, exit code) is known here only. */
import { run } from './commands/run.js'

// Whatever is made is its owner's alone, also in a data directory that everybody may enter: visitors' addresses are in it.
process.umask(0o077)
for (const stream of [process.stdout, process.stderr]) stream.on('error', onUnsaid)

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  terminal: process.stdout.isTTY === true,
  stdin: process.stdin,
  print: (line) => process.stdout.write(`${line}\n`),
  ...(process.stderr.isTTY && { draw: (line: string) => process.stderr.write(`\r\x1b[2K${line}`) }),
  complain: (line) => process.stderr.write(`${line}\n`),
})

/**
 * Standard output may be a log file on a full disk, or a pipe that nobody reads any more. The service goes on, and is
 * heard again when there is room: redirects matter more than what is said about them. A command has nothing left to do.
 */
function onUnsaid(error: NodeJS.ErrnoException): void {
  if (process.argv[2] === 'serve') return
  // `| head` has seen enough.
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`What there is to say cannot be written (${error.message}).\n`, () => process.exit(1))
}
