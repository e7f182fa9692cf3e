import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'
import { type Figures, leave } from './figures.mjs'

/** A click that is lost once is lost: these may not fail even when they pass the next time. */
const neverAgain = /durability|kill/

/**
 * Ends a run with what was skipped and why, and then exactly one line that people and CI read (figures.mjs). A test says
 * why it is skipped with `context.skip('reason')`, a suite in its name: `describe.skip('PostgreSQL (skipped: no server found)')`.
 * What passed only when it was tried again is named. When everything was asked for, a test file in the tree that did not run is a failure.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads reporters by their default export
export default class ClosingLine implements Reporter {
  readonly #own: Figures = { passed: 0, failed: 0, skipped: 0, failures: [], retried: [], skips: {} }
  #vitest: Vitest | undefined

  /** Tells them when the process ends: errors outside of tests (a global set-up, a leak) are reported after the run. */
  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    process.once('exit', (code) => {
      // Something failed that was no test and no suite.
      if (code !== 0 && this.#own.failed === 0) this.#own.failed = 1
      leave(this.#own)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.#own.failed += unhandled.length
    for (const module of modules) {
      // A file that does not load and a hook that throws have no test of their own to fail.
      const broken = [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0)
      for (const suite of broken) this.#fail(nameOf(suite))
      for (const test of module.children.allTests()) this.#add(test)
    }
    const ran = new Set(modules.map(({ moduleId }) => moduleId))
    for (const file of this.#wanted()) if (!ran.has(file)) this.#fail(`${file} did not run`)
    if (this.#own.failed > 0) process.exitCode = 1
  }

  /** All test files of the tree, unless the run was asked for some. */
  #wanted(): readonly string[] {
    const { config, filenamePattern } = this.#vitest as Vitest & { filenamePattern?: readonly string[] }
    const isNarrowed = filenamePattern || config.testNamePattern || config.shard || config.changed || config.related
    return isNarrowed || config.mode !== 'test' ? [] : testFilesIn(config.root)
  }

  #fail(name: string): void {
    this.#own.failed++
    this.#own.failures.push(name)
  }

  #add(test: TestCase): void {
    const { state } = test.result()
    const retried = state === 'passed' && test.diagnostic()?.flaky === true
    if (state === 'failed' || (retried && neverAgain.test(test.module.relativeModuleId))) this.#fail(nameOf(test))
    else if (state === 'passed') this.#own.passed++
    else {
      this.#own.skipped++
      const line = `${placeOf(test)}: ${reasonOf(test)}`
      this.#own.skips[line] = (this.#own.skips[line] ?? 0) + 1
    }
    if (retried) this.#own.retried.push(nameOf(test))
  }
}

function testFilesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (/^(\.|node_modules$|dist)/.test(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return testFilesIn(path)
    return /\.test\.[jt]sx?$/.test(entry.name) ? [path] : []
  })
}

const inName = /\s*\(skipped: (.*)\)/s

function placeOf(test: TestCase): string {
  const suites = ancestors(test).map((suite) => suite.name.replace(inName, ''))
  return [test.module.relativeModuleId, ...suites.slice(0, 1)].join(' > ')
}

function nameOf(part: TestCase | TestSuite | TestModule): string {
  if (part.type === 'module') return part.relativeModuleId
  return `${part.module.relativeModuleId} > ${part.fullName}`
}

function reasonOf(test: TestCase): string {
  const result = test.result()
  if (result.state === 'skipped' && result.note) return result.note
  const names = [test, ...ancestors(test)].map(({ name }) => inName.exec(name)?.[1])
  const said = names.find((reason) => reason !== undefined)
  if (said !== undefined) return said
  const broken = [test.module, ...ancestors(test)].some((suite) => suite.errors().length > 0)
  return broken ? 'its suite failed before it' : 'no reason given (left out by a filter, or skipped without saying why)'
}

/** The suites around a test, outermost first. */
function ancestors(test: TestCase): TestSuite[] {
  const suites: TestSuite[] = []
  for (let parent = test.parent; parent.type === 'suite'; parent = parent.parent) suites.unshift(parent)
  return suites
}
