/** The README of an archive, which explains each file and column to whoever finds the folder. */
import { allDimensions } from '../clicks/dimensions.js'
import type { RecordTables } from './record-tables.js'
import type { ArchiveColumn } from './values.js'

export function readmeOf(records: Pick<RecordTables, 'tables' | 'leftOut'>, secrets: boolean): string {
  const tables = records
    .tables(secrets ? 'archive with secrets' : 'archive')
    .map(({ name, about, columns }) => `### records/${name}\n${about}\n\n${columnTable(columns)}`)
  const missing = Object.entries(records.leftOut).map(([name, why]) => `- ${name}: ${why}`)
  return `# An archive of shortlink

Everything of one organization, or of a whole installation; \`manifest.json\` says which, with the number of rows and the
SHA-256 of each file. \`shortlink import --from shortlink FOLDER\` reads it into an empty installation.

Each file of \`records\` exists twice: as NDJSON, one JSON object per line, which an import reads, and as CSV for
spreadsheets. In CSV an apostrophe precedes texts that a spreadsheet would execute as formulas, and empty cells mean null.
Times are in UTC. Rows are sorted by their key; the same data gives the same bytes. Only \`exported_at\` in
\`manifest.json\` differs between two exports.

${secrets ? 'This archive contains secrets (hashes of passwords and tokens, second factors, signing secrets). Keep it like a key.' : 'It contains no passwords, tokens or keys. After an import every user needs a new password.'}

## clicks
Files of one month each; a month with many clicks has several, in order of time. Parquet and NDJSON contain the same
rows. A row is a click, or a total: clicks older than the retention, or imported as a sum, without visitor and exact time.

${columnTable(clickColumns)}

## images
The bytes of uploaded images, named by their SHA-256.

## records
${tables.join('\n\n')}

## Not in an archive
${missing.join('\n')}
${secrets ? '' : '- tokens, API keys, second factors, recovery codes, invitations and sessions, unless exported with `--with-secrets`\n'}`
}

function columnTable(columns: readonly ArchiveColumn[]): string {
  const rows = columns.map(({ name, kind, about }) => `| ${name} | ${kind} | ${about} |`)
  return ['| column | kind | meaning |', '|---|---|---|', ...rows].join('\n')
}

const clickColumns: readonly ArchiveColumn[] = [
  { name: 'clicked_at', kind: 'time', about: 'When; of a total, the beginning of its quarter of an hour.' },
  ...allDimensions.map(({ column, about }) => ({ name: column, kind: 'text' as const, about })),
  {
    name: 'visitor',
    kind: 'number',
    about:
      'Equal for visits of one visitor on one day (UTC), otherwise meaningless; empty for a total. A text in NDJSON.',
  },
  { name: 'clicks', kind: 'number', about: '1, or the number of clicks of a total.' },
]
