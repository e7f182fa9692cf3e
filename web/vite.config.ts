import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { themeVariables } from './build/theme-variables.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const service = process.env.SHORTLINK_URL ?? 'http://localhost:8080'
const proxied = ['/v4', '/account', '/oauth', '/openapi.json', '/docs/v3.json', '/favicon.ico']

export default defineConfig({
  root: here,
  base: '/app/',
  plugins: [react(), themeVariables()],
  build: {
    outDir: '../dist-web',
    emptyOutDir: true,
    manifest: true,
    // Swagger UI, which only /docs loads.
    chunkSizeWarningLimit: 1600,
    rolldownOptions: {
      input: [join(here, 'index.html'), join(here, 'docs.html')],
      output: {
        codeSplitting: {
          // What the first visit loads is two files: packages, which browsers keep over most updates, and our own.
          groups: [
            { name: 'base', test: /node_modules.(?!swagger)/, tags: ['$initial'] },
            { name: 'app', test: /web.src.(?!docs|main|theme.(global|color)|parts.copy-text)/, tags: ['$initial'] },
            { name: 'controls', test: /node_modules.@mantine/, minShareCount: 4 },
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
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, { target: service, changeOrigin: true }])) },
})
