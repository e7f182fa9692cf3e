// Builds on every change, and node restarts the service when dist/ changes.
import { spawn, spawnSync } from 'node:child_process'
import { context } from 'esbuild'
import { readArguments } from './arguments.mjs'
import { programOptions } from './build-options.mjs'

const flags = process.argv.slice(2)
if (flags.includes('--help')) readArguments('npm run dev [-- OPTIONS]\nOPTIONS are those of "node dist/main.js serve".')
// Check the options first: after an invalid one, the watcher would only wait for the next change.
const { status } = spawnSync(process.execPath, ['dist/main.js', 'config', ...flags], { stdio: ['ignore', 'ignore', 2] })
if (status !== 0) process.exit(status ?? 1)

const watching = await context(programOptions())
await watching.watch()
const service = spawn(
  process.execPath,
  ['--watch-path=dist', '--watch-preserve-output', '--enable-source-maps', 'dist/main.js', 'serve', ...flags],
  { stdio: 'inherit' },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal))
service.on('exit', async (code) => {
  await watching.dispose()
  process.exit(code ?? 0)
})
