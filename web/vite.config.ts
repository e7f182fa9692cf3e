import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fontLicense } from './build/font-license.ts'
import { themeVariables } from './build/theme-variables.ts'
import { worldMap } from './build/world-map.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const service = process.env.SHORTLINK_URL ?? 'http://localhost:8080'
const toService = { target: service, changeOrigin: true }
const proxied = ['/v4', '/account', '/oauth', '/openapi.json', '/docs/v3.json', '/favicon.ico']

/** /docs shares these with the dashboard, and must not load it. */
const neededByDocs = /theme.(global|color-scheme)|theme-variables|parts.copy-text/

export default defineConfig({
  root: here,
  base: '/app/',
  plugins: [react(), themeVariables(), fontLicense(), worldMap()],
  build: {
    outDir: '../dist-web',
    emptyOutDir: true,
    manifest: true,
    // What the first visit loads, before it is compressed.
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      input: [join(here, 'index.html'), join(here, 'docs.html')],
      output: {
        codeSplitting: {
          groups: [
            { name: 'common', test: neededByDocs, priority: 2 },
            // What the first visit loads is one file, and what dialogs and filters share another.
            { name: 'app', test: /node_modules|web.src.(?!docs)/, tags: ['$initial'], priority: 1 },
            { name: 'controls', test: /node_modules.@mantine/, minShareCount: 3 },
            { name: 'icons', test: /node_modules.lucide-react/, minShareCount: 3 },
          ],
        },
      },
    },
    target: 'es2022',
    // The Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npm run dev:web`: pages from their source, the API from a running service.
  // Sessions are refused to pages of other origins.
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, { ...toService, headers: { origin: service } }])) },
})
