// Another build of shortlink to compare with: the folder of a build, or a commit, which is built here.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ownBuild } from './servers.mjs'

/** The folder with the `dist/` of that build. */
export function buildOf(folderOrCommit, directory) {
  const folder = resolve(folderOrCommit)
  if (existsSync(folder)) {
    if (!existsSync(join(folder, 'dist/main.js'))) throw new Error(`${folder} has no dist/: run "npm run build" there.`)
    return folder
  }
  const commit = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${folderOrCommit}^{commit}`], {
    cwd: ownBuild,
    encoding: 'utf8',
  }).stdout.trim()
  if (!commit) throw new Error(`"${folderOrCommit}" is neither a folder nor a commit.`)
  return buildCommit(commit, directory)
}

/** Uses the libraries and the city data of this folder if they are the same, so only our own code differs. */
function buildCommit(commit, directory) {
  mkdirSync(directory, { recursive: true })
  const sources = execFileSync('git', ['archive', commit], { cwd: ownBuild, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', directory], { input: sources })
  const [own, other] = [ownBuild, directory].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  const isSame = own === other
  const shared = isSame ? ['node_modules', 'dist-geography'] : []
  for (const folder of shared) symlinkSync(join(ownBuild, folder), join(directory, folder))
  const script = isSame ? 'scripts/build.mjs' : 'scripts/ensure.mjs'
  execFileSync(process.execPath, [script], { cwd: directory, stdio: 'inherit' })
  return directory
}
