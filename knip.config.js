import { readFileSync } from 'node:fs'

const tools = JSON.parse(readFileSync(new URL('tools/package.json', import.meta.url), 'utf8'))

export default {
  // Programs of the operating system are looked for where they are used.
  exclude: ['binaries'],
  // The tools have no sources of their own: the tests and scripts of the project use them.
  ignoreWorkspaces: ['tools'],
  workspaces: {
    '.': {
      entry: [
        'src/main.ts',
        'src/runtime/redirect-process.ts',
        'src/runtime/threads/{worker-host,image-worker}.ts',
        'src/storage/sql/migrations/*.ts',
        'scripts/*.mjs',
        'bench/**/*.mjs',
        'test/clickhouse/server.mjs',
        // Read by scripts/conformance.mjs.
        'test/conformance/operations.ts',
      ],
      project: ['src/**/*.ts', 'web/**/*.{ts,tsx}', 'test/**/*.ts', 'scripts/**/*.mjs', 'bench/**/*.mjs'],
      // Enabled by hand: knip looks for vitest in package.json.
      vitest: true,
      // chdb has a package file of its own, in test/clickhouse. Fastify loads light-my-request; it is named in package.json
      // because its next version asks for Node 22, and npm warns of that wherever the package is installed.
      ignoreDependencies: [...Object.keys(tools.devDependencies), 'chdb', 'light-my-request'],
    },
  },
}
