// Builds on every change and lets node restart the service when dist/ changes.
import { spawn } from 'node:child_process'
import { context } from 'esbuild'
import { options } from './build-options.mjs'

const watching = await context(options())
await watching.watch()
const service = spawn(
  process.execPath,
  [
    '--watch-path=dist',
    '--watch-preserve-output',
    '--enable-source-maps',
    'dist/main.js',
    'serve',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal))
service.on('exit', async (code) => {
  await watching.dispose()
  process.exit(code ?? 0)
})
