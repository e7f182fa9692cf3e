import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'

/**
 * Ends a run with what was skipped and why, and then exactly one line that people and CI read. A test says why it is
 * skipped with `context.skip('reason')`, a suite in its name: `describe.skip('PostgreSQL (skipped: no server found)')`.
 *
 * CI runs in several parts. TEST_FIGURES names a file in which each of them leaves its figures, one JSON object per line;
 * the last lines of every part tell the sum so far.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads reporters by their default export
export default class ClosingLine implements Reporter {
  readonly #own: Figures = { passed: 0, failed: 0, skipped: 0, failures: [], skips: {} }

  /** Prints when the process ends: errors outside of tests (a global set-up, a leak) are reported after the run. */
  onInit(): void {
    process.once('exit', (code) => {
      // Something failed that was no test and no suite.
      if (code !== 0 && this.#own.failed === 0) this.#own.failed = 1
      const earlier = earlierFigures()
      if (figuresFile) appendFileSync(figuresFile, `${JSON.stringify(this.#own)}\n`)
      print('Failed earlier:', [...new Set(earlier.flatMap(({ failures = [] }) => failures))])
      const all = [...earlier, this.#own]
      const skips = all.flatMap(({ skips = {} }) => Object.entries(skips))
      print(
        'Skipped:',
        skips.map(([place, tests]) => `${tests} in ${place}`),
      )
      const sum = (name: 'passed' | 'failed' | 'skipped') => all.reduce((total, each) => total + (each[name] ?? 0), 0)
      console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.#own.failed += unhandled.length
    for (const module of modules) {
      // A file that does not load and a hook that throws have no test of their own to fail.
      const broken = [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0)
      this.#own.failed += broken.length
      for (const suite of broken) this.#own.failures.push(nameOf(suite))
      for (const test of module.children.allTests()) this.#add(test)
    }
  }

  #add(test: TestCase): void {
    const { state } = test.result()
    if (state === 'failed') this.#own.failures.push(nameOf(test))
    if (state === 'passed' || state === 'failed') {
      this.#own[state]++
      return
    }
    this.#own.skipped++
    const line = `${placeOf(test)}: ${reasonOf(test)}`
    this.#own.skips[line] = (this.#own.skips[line] ?? 0) + 1
  }
}

interface Figures {
  passed: number
  failed: number
  skipped: number
  /** Names of what failed. */
  readonly failures: string[]
  /** How many tests were skipped, by place and reason. */
  readonly skips: Record<string, number>
}

const figuresFile = process.env.TEST_FIGURES

function earlierFigures(): Partial<Figures>[] {
  if (!figuresFile || !existsSync(figuresFile)) return []
  const lines = readFileSync(figuresFile, 'utf8').split('\n').filter(Boolean)
  return lines.map((line): Partial<Figures> => JSON.parse(line))
}

function print(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}`)
  for (const line of lines) console.log(`  ${line}`)
}

const inName = /\s*\(skipped: (.*)\)/s

function placeOf(test: TestCase): string {
  const suites = ancestors(test).map((suite) => suite.name.replace(inName, ''))
  return [fileOf(test.module), ...suites.slice(0, 1)].join(' > ')
}

function nameOf(part: TestCase | TestSuite | TestModule): string {
  if (part.type === 'module') return fileOf(part)
  return `${fileOf(part.module)} > ${part.fullName}`
}

/** With its project, when there are several: the same file may be in two of them. */
function fileOf(module: TestModule): string {
  const { name } = module.project
  return name === '' ? module.relativeModuleId : `${name}: ${module.relativeModuleId}`
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
