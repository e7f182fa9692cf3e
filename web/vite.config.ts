import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { themeVariables } from './build/theme-variables.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const service = process.env.SHORTLINK_URL ?? 'http://localhost:8080'
const proxied = ['/v4', '/account', '/oauth', '/openapi.json', '/docs/v3.json', '/favicon.ico']

/** One file instead of sixty small ones, which compress worse. */
const components =
  'Button|ActionIcon|Menu|Popover|Tooltip|Checkbox|Badge|Skeleton|Input|InputBase|TextInput|Loader|CloseButton|Transition|FocusTrap|Portal|UnstyledButton|VisuallyHidden'
const neededByEveryPage = new RegExp(
  `node_modules/(react|react-dom|scheduler|@tanstack|openapi-fetch|clsx|@floating-ui|@mantine/(core/esm/(core|components/(${components}))|store|notifications))/`,
)

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
      output: { codeSplitting: { groups: [{ name: 'base', test: neededByEveryPage }] } },
    },
    target: 'es2022',
    // The Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npm run dev:web`: pages from their source, the API from a running service.
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, { target: service, changeOrigin: true }])) },
})
