/** Builds the programs that check the files of `deploy` from the Go module proxy, once: for Kubernetes, Compose and Prometheus. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { buildGo } from './go-programs.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly deployTools: DeployTools
  }
}

export type DeployTools = Readonly<Record<ToolName, Tool>>
export type Tool = { readonly program: string } | { readonly skip: string }
type ToolName = 'helm' | 'kubernetes-schemas' | 'kubeconform' | 'kube-score' | 'load-compose' | 'evaluate-alerts'

const ownSource = (name: string) => fileURLToPath(new URL(`../project/${name}`, import.meta.url))
const modules = [
  {
    module: 'helm.sh/helm/v3',
    version: 'v3.22.0',
    programs: ['./cmd/helm'],
    sources: [ownSource('helm/kubernetes-schemas.go')],
    tools: ['helm', 'kubernetes-schemas'],
  },
  {
    module: 'github.com/yannh/kubeconform',
    version: 'v0.8.0',
    programs: ['./cmd/kubeconform'],
    tools: ['kubeconform'],
  },
  { module: 'github.com/zegl/kube-score', version: 'v1.20.0', programs: ['./cmd/kube-score'], tools: ['kube-score'] },
  {
    module: 'github.com/compose-spec/compose-go/v2',
    version: 'v2.16.2',
    programs: [],
    sources: [ownSource('compose/load-compose.go')],
    tools: ['load-compose'],
  },
  {
    module: 'github.com/prometheus/prometheus',
    version: 'v0.315.0',
    programs: [],
    sources: [ownSource('alerts/evaluate-alerts.go')],
    tools: ['evaluate-alerts'],
  },
] as const

export async function setup(project: TestProject): Promise<void> {
  if (!isImported(project, 'deploy-tools.ts')) return
  const found: Record<string, Tool> = {}
  // One after the other: each of them keeps all processors busy.
  for (const { tools, ...module } of modules) {
    const made = await buildGo(module)
    for (const name of tools) {
      found[name] =
        'failure' in made ? { skip: `${name} cannot be built: ${made.failure}` } : { program: join(made.folder, name) }
    }
    if ('failure' in made) console.log(`Tests with ${tools.join(' and ')} are skipped: ${made.failure}`)
  }
  project.provide('deployTools', found as DeployTools)
}
