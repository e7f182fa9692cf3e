/** argv -> one command. What a process is (arguments, environment, streams, exit code) is known here only. */
import './lib/keep-tick-shape.js'
import { run } from './commands/run.js'

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  terminal: process.stdout.isTTY === true,
  stdin: process.stdin,
  print: (line) => process.stdout.write(`${line}\n`),
  ...(process.stderr.isTTY && { draw: (line: string) => process.stderr.write(`\r\x1b[2K${line}`) }),
  complain: (line) => process.stderr.write(`${line}\n`),
})
