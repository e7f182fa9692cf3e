// npm run demo: a service with nine months of believable links and clicks, in a temporary folder that Ctrl-C removes.
import { spawn } from 'node:child_process'
import { readArguments, refuse } from './arguments.mjs'
import { login, password, startDemo } from './demo/start.mjs'

const usage = 'npm run demo [-- --port NUMBER] [-- --no-open]'
const { values } = readArguments(usage, { options: { port: { type: 'string' }, 'no-open': { type: 'boolean' } } })
const port = Number(values.port ?? 8080)
if (!Number.isInteger(port) || port < 1 || port > 65_535) refuse(usage, '--port must be a number from 1 to 65535.')

const demo = await startDemo({ port, progress: (step) => console.log(`Making ${step} ...`) })
const page = `${demo.url}/app`
console.log(
  `\nThe demo is ready: ${page}\n  login     ${login}\n  password  ${password}\n\nCtrl-C ends it and removes its data.`,
)
if (!values['no-open']) openBrowser(page)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void demo.stop().then(() => process.exit(0)))
demo.service.once('exit', (code) => void demo.stop().then(() => process.exit(code ?? 1)))

/** The address is printed, too: a machine without a browser is no fault. */
function openBrowser(address) {
  const [program, ...words] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform] ?? ['xdg-open']
  spawn(program, [...words, address], { stdio: 'ignore', detached: true })
    .once('error', () => {})
    .unref()
}
