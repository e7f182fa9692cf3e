import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'

/**
 * Ends a run with what was skipped and why, and then exactly one line that people and CI read. A test says why it is
 * skipped with `context.skip('reason')`, a suite in its name: `describe.skip('PostgreSQL (skipped: no server found)')`.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads reporters by their default export
export default class ClosingLine implements Reporter {
  readonly #count = { passed: 0, failed: 0, skipped: 0 }
  readonly #skips = new Map<string, number>()

  /** Prints when the process ends: errors outside of tests (a global set-up, a leak) are reported after the run. */
  onInit(): void {
    process.once('exit', (code) => {
      const { passed, failed, skipped } = this.#count
      if (this.#skips.size > 0) console.log('\nSkipped:')
      for (const [line, tests] of this.#skips) console.log(`  ${tests} in ${line}`)
      // Something failed that was no test and no suite.
      const unseen = code !== 0 && failed === 0 ? 1 : 0
      console.log(`\n${passed} passed, ${failed + unseen} failed, ${skipped} skipped`)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.#count.failed += unhandled.length
    for (const module of modules) {
      // A file that does not load and a hook that throws have no test of their own to fail.
      this.#count.failed += [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0).length
      for (const test of module.children.allTests()) this.#add(test)
    }
  }

  #add(test: TestCase): void {
    const { state } = test.result()
    if (state === 'passed' || state === 'failed') {
      this.#count[state]++
      return
    }
    this.#count.skipped++
    const line = `${placeOf(test)}: ${reasonOf(test)}`
    this.#skips.set(line, (this.#skips.get(line) ?? 0) + 1)
  }
}

const inName = /\s*\(skipped: (.*)\)/s

function placeOf(test: TestCase): string {
  const suites = ancestors(test).map((suite) => suite.name.replace(inName, ''))
  return [test.module.relativeModuleId, ...suites.slice(0, 1)].join(' > ')
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
