import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** Whoever gets the font gets its license too: as `inter-license.txt`, beside the pages that use it. */
export function fontLicense(): Plugin {
  return {
    name: 'font-license',
    generateBundle() {
      const file = fileURLToPath(import.meta.resolve('@fontsource-variable/inter/package.json'))
      const source = readFileSync(file.replace('package.json', 'LICENSE'))
      this.emitFile({ type: 'asset', fileName: 'inter-license.txt', source })
    },
  }
}
