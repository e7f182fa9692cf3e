/** Prepares what the chosen test files need, at the same time where it can: much of it is waiting for downloads. */
import type { TestProject } from 'vitest/node'
import { setup as apiClients } from './api-clients-for-all.js'
import { setup as built } from './built-for-all.js'
import { setup as clickhouse } from './clickhouse-for-all.js'
import { setup as deployTools } from './deploy-tools-for-all.js'
import { setup as formerProgram } from './former-program-for-all.js'
import { setup as goNsq } from './go-nsq-for-all.js'
import { setup as otlpPackages } from './otlp-packages-for-all.js'
import { setup as postgres } from './postgres-for-all.js'
import { setup as pynsq } from './pynsq-for-all.js'
import { setup as versitygw } from './s3-for-all.js'

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  built()
  await Promise.all(
    [apiClients, clickhouse, deployTools, goNsq, otlpPackages, pynsq, versitygw].map((prepare) => prepare(project)),
  )
  const removeFormerProgram = await formerProgram(project)
  // Last, because it must be stopped.
  const stopPostgres = await postgres(project)
  return async () => {
    removeFormerProgram?.()
    await stopPostgres?.()
  }
}
