// Imports from other products: a million links of a table, the clicks of a YOURLS dump beside the same clicks as a
// click file, and redirects of a service while links are imported into it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { amount } from '../brief.mjs'
import { load } from '../load.mjs'
import { rounds } from '../rounds.mjs'
import { ownBuild, startShortlink } from '../servers.mjs'

const links = amount(1_000_000, 5000)
const clicks = amount(1_000_000, 5000)
const clickedLinks = amount(20_000, 500)
const domain = 'sho.rt'

export async function importLinks({ directory, say }) {
  mkdirSync(directory, { recursive: true })
  const home = await emptyService(join(directory, 'home'))
  return [
    ...(await manyLinks({ directory, home, say })),
    ...(await manyClicks({ directory, home, say })),
    ...(await besideRedirects({ directory, home, say })),
  ]
}

async function manyLinks({ directory, home, say }) {
  const table = join(directory, 'links.csv')
  await writeLines(table, tableLines(links))
  say(`table of ${links} links written`)
  const dataDir = fresh(directory, home)
  const first = await command('links', table, dataDir)
  const again = await command('links', table, dataDir)
  say(`${first.seconds.toFixed(1)} s, ${Math.round(first.megabytes)} MiB; again ${again.seconds.toFixed(1)} s`)
  if (first.result.links.new !== links) throw new Error(`${first.result.links.new} of ${links} links imported`)
  const isFlat = first.megabytes < 400
  const wrote = again.result.links.new
  return [
    { what: `import of ${links} links`, figure: first.seconds, unit: 's', goal: '<= 45 s', met: first.seconds <= 45 },
    { what: 'memory of that', figure: first.megabytes, unit: 'MiB', goal: '< 400 MiB', met: isFlat },
    { what: 'the same again', figure: again.seconds, unit: 's', ratio: again.seconds / first.seconds },
    { what: 'links written by that', figure: wrote, unit: '', goal: '0', met: wrote === 0 },
  ]
}

/** The ratio says what it costs that the clicks are in a dump. */
async function manyClicks({ directory, home, say }) {
  const [dump, file] = [join(directory, 'yourls.sql'), join(directory, 'clicks.ndjson')]
  await writeLines(dump, dumpLines())
  await writeLines(file, clickFileLines())
  const seeded = join(directory, 'seeded')
  cpSync(home, seeded, { recursive: true })
  await command('links', dump, seeded, ['--no-clicks'])
  const timed = async (kind, path) => {
    const { seconds, result } = await command(kind, path, fresh(directory, seeded))
    const imported = kind === 'links' ? result.clicks.imported : result.imported
    if (imported !== clicks) throw new Error(`${imported} of ${clicks} clicks imported`)
    return { perSecond: clicks / seconds }
  }
  const measured = await rounds(
    amount(3, 1),
    { dump: () => timed('links', dump), file: () => timed('clicks', file) },
    say,
  )
  const perSecond = measured.of('dump')
  return [
    {
      what: `import of ${clicks} clicks from a dump`,
      ...perSecond,
      unit: 'clicks/s',
      ratio: measured.ratio('dump', 'file').figure,
      goal: '>= 100,000/s',
      met: perSecond.figure >= 100_000,
    },
    { what: 'the same clicks as a click file', ...measured.of('file'), unit: 'clicks/s' },
  ]
}

async function besideRedirects({ directory, home, say }) {
  const dataDir = fresh(directory, home)
  const service = await startShortlink(dataDir, ['--domains', domain])
  try {
    const { id } = await service.shorten('https://example.com/landing?page=1')
    const plan = { url: `${service.url}/${id.split('/')[1]}`, seconds: amount(8, 1), headers: { Host: domain } }
    let round = 0
    const disturbed = async () => {
      round += 1
      const table = join(directory, `more-${round}.csv`)
      await writeLines(table, tableLines(amount(200_000, 60_000), `r${round}x`))
      const importing = start('links', table, dataDir, [])
      // The command has begun to write.
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      const answer = await load(plan)
      if (importing.exitCode !== null) throw new Error('the import ended before the load did: give it more links')
      importing.kill('SIGTERM')
      await once(importing, 'exit')
      return answer
    }
    const measured = await rounds(amount(3, 1), { alone: () => load(plan), importing: disturbed }, say)
    const ratio = measured.ratio('importing', 'alone').figure
    const what = 'redirects while links are imported'
    return [{ what, ...measured.of('importing'), unit: '/s', ratio, goal: '>= 0.8 of undisturbed', met: ratio >= 0.8 }]
  } finally {
    await service.stop()
  }
}

async function emptyService(dataDir) {
  const service = await startShortlink(dataDir, ['--domains', domain])
  await service.stop()
  return dataDir
}

function fresh(directory, home) {
  const dataDir = join(directory, 'data')
  rmSync(dataDir, { recursive: true, force: true })
  cpSync(home, dataDir, { recursive: true })
  return dataDir
}

function start(kind, path, dataDir, flags) {
  const args = ['import', kind, path, '--data-dir', dataDir, '--domains', domain, '--json', ...flags]
  return spawn(process.execPath, [join(ownBuild, 'dist/main.js'), ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
}

async function command(kind, path, dataDir, flags = []) {
  const began = performance.now()
  const child = start(kind, path, dataDir, flags)
  let megabytes = 0
  const watch = setInterval(() => {
    megabytes = Math.max(megabytes, peakMemory(child.pid))
  }, 100)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  clearInterval(watch)
  if (code !== 0) throw new Error(`import ${kind} ended with ${code}`)
  return { result: JSON.parse(output), seconds: (performance.now() - began) / 1000, megabytes }
}

/** The most that the process ever had, in MiB; 0 on systems that do not report it. */
function peakMemory(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

async function writeLines(path, lines) {
  const file = createWriteStream(path)
  let piece = ''
  for (const line of lines) {
    piece += line
    if (piece.length < 1 << 20) continue
    if (!file.write(piece)) await once(file, 'drain')
    piece = ''
  }
  file.end(piece)
  await once(file, 'finish')
}

/** Back-halves in no order, as random ones are; a tenth of the links has tags. */
function* tableLines(count, prefix = '') {
  yield 'short_url,long_url,title,tags,created_at\n'
  for (let index = 0; index < count; index++) {
    const name = `${prefix}${scattered(index)}`
    const url = `https://www.example.com/shop/products/${index}?utm_source=newsletter&utm_medium=email`
    const tags = index % 10 === 0 ? `tag${index % 300}` : ''
    yield `https://${domain}/${name},${url},Product ${index},${tags},${timeOf(index)}\n`
  }
}

function scattered(index) {
  return ((BigInt(index) * 2_654_435_761n) % 3_521_614_606_207n).toString(36).padStart(8, '0')
}

function timeOf(index) {
  return new Date(1_500_000_000_000 + index * 100_000).toISOString().slice(0, 19).replace('T', ' ')
}

const agent = (index) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (index % 40)}.0 Safari/537.36`
const visitor = (index) => `${11 + (index % 89)}.${(index >> 3) % 256}.${(index >> 5) % 256}.${index % 256}`

function* dumpLines() {
  const rowsAtOnce = 1_000
  const names = Array.from({ length: clickedLinks }, (_, index) => scattered(index))
  const urls = names.map(
    (name, index) => `('${name}','https://example.com/${index}','T','2016-01-01 00:00:00','::1',50)`,
  )
  yield `INSERT INTO \`yourls_url\` (\`keyword\`,\`url\`,\`title\`,\`timestamp\`,\`ip\`,\`clicks\`) VALUES ${urls.join(',')};\n`
  const into =
    'INSERT INTO `yourls_log` (`click_id`,`click_time`,`shorturl`,`referrer`,`user_agent`,`ip_address`,`country_code`) VALUES'
  for (let first = 0; first < clicks; first += rowsAtOnce) {
    const rows = Array.from({ length: rowsAtOnce }, (_, at) => {
      const index = first + at
      const from = `https://site${index % 500}.example/page`
      return `(${index},'${timeOf(index / 100)}','${names[(index * 7) % clickedLinks]}','${from}','${agent(index)}','${visitor(index)}','')`
    })
    yield `${into} ${rows.join(',')};\n`
  }
}

function* clickFileLines() {
  for (let index = 0; index < clicks; index++) {
    yield `${JSON.stringify({
      link: `${domain}/${scattered((index * 7) % clickedLinks)}`,
      at: new Date(1_500_000_000_000 + index * 1000).toISOString(),
      ip: visitor(index),
      user_agent: agent(index),
      referrer: `https://site${index % 500}.example/page`,
    })}\n`
  }
}
