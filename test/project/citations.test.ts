/** Pages and comments cite only what is in the project: the page exists, and so does the heading. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('what is cited', () => {
  it.each(['docs/api/limits.md#per-minute', 'docs/api/README.md#order-of-checks', 'docs/api'])('finds %s', (cited) => {
    expect(missing(cited)).toBeUndefined()
  })

  it.each([
    ['docs/api/nowhere.md', 'there is no docs/api/nowhere.md'],
    ['docs/api/limits.md#per-year', 'docs/api/limits.md has no heading #per-year'],
  ])('misses %s', (cited, said) => {
    expect(missing(cited)).toBe(said)
  })

  it('exists: every docs/*.md, with its heading, that code, comments and pages name', () => {
    const wrong = citing(/\.(?:ts|mjs|md|py|go|sh|json)$/).flatMap(({ path, text }) =>
      [...text.matchAll(/\bdocs\/[\w/.-]+?\.md(?:#[\w-]+)?/g)].flatMap(([cited]) => complaint(path, cited)),
    )
    expect(wrong).toEqual([])
  })

  it('exists: every relative link of a page', () => {
    const wrong = citing(/\.md$/).flatMap(({ path, text }) =>
      relativeLinks(text).flatMap((link) => {
        const [target = '', heading] = link.split('#')
        const file = target === '' ? path : normalize(join(dirname(path), decodeURI(target)))
        return complaint(path, heading === undefined ? file : `${file}#${heading}`)
      }),
    )
    expect(wrong).toEqual([])
  })

  it('exists: every source file that a page names; decisions (docs/adr) may name files of their time', () => {
    const wrong = citing(/\.md$/)
      .filter(({ path }) => !path.startsWith('docs/adr/') && path !== 'CHANGELOG.md')
      .flatMap(({ path, text }) =>
        [...text.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs))`/g)].flatMap(([, file = '']) =>
          ['', 'src', dirname(path)].some((folder) => existsSync(join(root, folder, file)))
            ? []
            : [`${path}: there is no ${file}`],
        ),
      )
    expect(wrong).toEqual([])
  })

  it('is named by every row of a table of faults with a column for tests', () => {
    const rows = citing(/\.md$/).flatMap(({ path, text }) =>
      [...text.matchAll(/^\| what fails \|.*\| test \|\n\|[-|]+\|\n((?:\|.*\n)+)/gm)].flatMap(([, table = '']) =>
        table
          .trimEnd()
          .split('\n')
          .map((row) => `${path}: ${row}`),
      ),
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter((row) => !/\| `test\/[\w/-]+\.test\.ts` \|$/.test(row))).toEqual([])
  })

  it.each([
    '// Gaps 1.3: access before fields.',
    ' * how it is counted (gaps 2.4).',
    '/** v4 Limits 1: a tenth in a minute. */',
    '/** v3 Links, rule 1 of shorten */',
    '/** v4 Short link. */',
    '// the built-in one too (design: same host)',
    '// as the specification prints it',
    '// see style.md 11',
  ])('would notice a document outside the project in %s', (comment) => {
    expect(outside(comment)).toHaveLength(1)
  })

  it.each([
    '// The v4 interface and v3 Operations of ours: docs/api/v3.md#operations.',
    '// rows are numbered without gaps',
    '// a design of its own',
    '// OpenAPI specifies it',
  ])('would not mind %s', (comment) => {
    expect(outside(comment)).toEqual([])
  })

  it('is in the project: no comment and no page cites another document', () => {
    const wrong = citing(/\.(?:ts|mjs|md|py|go|sh)$/)
      .filter(({ path }) => path !== 'test/project/citations.test.ts' && path !== 'CHANGELOG.md')
      .flatMap(({ path, text }) => outside(text).map((words) => `${path}: ${words}`))
    expect(wrong).toEqual([])
  })
})

/** Everything that people read and write; not what is installed or built. */
function citing(names: RegExp): readonly { readonly path: string; readonly text: string }[] {
  const pages = readdirSync(root).filter((name) => name.endsWith('.md'))
  const files = ['src', 'test', 'scripts', 'bench', 'docs', 'deploy', 'bin'].flatMap(filesBelow)
  return [...pages, ...files]
    .filter((path) => names.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

function complaint(path: string, cited: string): readonly string[] {
  const said = path === 'test/project/citations.test.ts' ? undefined : missing(cited)
  return said === undefined ? [] : [`${path}: ${said}`]
}

function missing(cited: string): string | undefined {
  const [file = '', heading] = cited.split('#')
  if (!existsSync(join(root, file))) return `there is no ${file}`
  if (heading === undefined || headingsOf(file).has(heading)) return undefined
  return `${file} has no heading #${heading}`
}

const known = new Map<string, ReadonlySet<string>>()

/** Anchors as GitHub makes them. */
function headingsOf(file: string): ReadonlySet<string> {
  const read = known.get(file)
  if (read) return read
  const anchors = new Set<string>()
  for (const [, title = ''] of prose(readFileSync(join(root, file), 'utf8')).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-')
    let unused = anchor
    for (let copy = 1; anchors.has(unused); copy++) unused = `${anchor}-${copy}`
    anchors.add(unused)
  }
  known.set(file, anchors)
  return anchors
}

function relativeLinks(text: string): readonly string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target))
}

/** Without examples. */
function prose(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```/gm, '')
}

/** Names of documents that readers of this project do not have: sections of the description it was written from. */
function outside(text: string): readonly string[] {
  const sections = [
    /\bgaps? \d+(?:\.\d+)?/i,
    /\bv[34],? (?:Limits|Authentication|Errors|Events|Endpoints|Versioning|Resources)\b/,
    /\bv[34],? (?:Short links?|Custom short links?|Groups?|Group preferences|Campaigns?|Channels?|Deeplink|Pagination)\b/,
    /\bv[34],? (?:Export|Feature usage|Metrics responses|QR code|Links|Link metrics|Enterprise campaigns)\b/,
    // Not a property or a parameter of that name, as QR codes have.
    /\(design: (?!QrDesign)/,
    /\bstyle\.md\b/,
    /\b(?:the|this|our) specification\b/i,
    /\.\.\/shared\b/,
  ]
  return text
    .split('\n')
    .filter((line) => sections.some((section) => section.test(line)))
    .map((line) => line.trim().slice(0, 120))
}
