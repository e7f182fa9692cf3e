import { existsSync } from 'node:fs'

/** The folder that the program is installed in, with package.json, `dist/` and what else is built. */
export const installation: URL = folderAbove(new URL('.', import.meta.url))

function folderAbove(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : folderAbove(new URL('..', folder))
}
