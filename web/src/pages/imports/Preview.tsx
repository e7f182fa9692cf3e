/** A file before it is sent: what its columns mean, and what is wrong with its rows. */
import { Button, NativeSelect } from '@mantine/core'
import { type Ref, useState } from 'react'
import { formatNumber } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { importTexts } from '../../texts/import.js'
import { texts } from '../../texts/texts.js'
import { columnsOf, fields, newHeader, problemsOf, rememberColumns } from './columns.js'
import styles from './imports.module.css'
import type { Action } from './queries.js'
import type { FileTable } from './read-table.js'

/** Rows without a problem that are shown, and rows with one. */
const shownRows = 5
const shownProblems = 50

interface PreviewProps {
  readonly file: File
  readonly table: FileTable
  readonly action: Action
  /** Rows whose back-half is taken are refused. */
  readonly strict: boolean
  readonly region: Ref<HTMLElement>
  readonly isBusy: boolean
  readonly onSend: (file: File) => void
  readonly onCancel: () => void
}

export function Preview({ file, table, action, strict, region, isBusy, onSend, onCancel }: PreviewProps) {
  const words = importTexts.preview
  const { header, rows, hasMore } = table
  const [columns, setColumns] = useState(() => columnsOf(action, table))
  const problems = problemsOf(action, table, columns, strict).map((each) => each && importTexts.problems[each])
  const wrong = problems.filter(Boolean).length
  const required = fields[action][0] ?? ''
  const good = rows.flatMap((_, at) => (problems[at] ? [] : [at])).slice(0, shownRows)
  const bad = rows.flatMap((_, at) => (problems[at] ? [at] : [])).slice(0, shownProblems)
  const choose = (at: number, field: string) =>
    setColumns(columns.map((each, other) => (other === at ? field : each === field ? '' : each)))
  const send = () => {
    if (header.length > 0) rememberColumns(action, header, columns)
    const named = newHeader(action, header, columns)
    onSend(named ? new File([table.named(named)], file.name) : file)
  }
  return (
    <div className={page.form}>
      <p className={page.hint} role="status">
        <strong className={styles.name}>{file.name}</strong>{' '}
        {hasMore ? words.first(formatNumber(rows.length)) : words.rows(rows.length)} {words.problems(wrong)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls, so the keyboard has to reach it. */}
      <section ref={region} className={styles.scroll} aria-label={words.title} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <td />
              {columns.map((field, at) => (
                <th key={at} scope="col">
                  <span className={styles.column}>{header[at] || words.column(at + 1)}</span>
                  <NativeSelect
                    size="xs"
                    aria-label={words.means(header[at] || words.column(at + 1))}
                    data={[
                      { value: '', label: words.ignored },
                      ...fields[action].map((value) => ({ value, label: importTexts.fields[value] ?? value })),
                    ]}
                    value={field}
                    onChange={({ currentTarget }) => choose(at, currentTarget.value)}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...bad, ...good].map((at) => (
              <tr key={at} data-wrong={Boolean(problems[at])}>
                <th scope="row">{at + 1}</th>
                {columns.map((field, column) => (
                  <td key={column} data-ignored={!field}>
                    <span className={styles.cell} title={rows[at]?.[column]}>
                      {rows[at]?.[column]}
                    </span>
                    {column === Math.max(0, columns.indexOf(required)) && problems[at] && (
                      <span className={page.problem}>{problems[at]}</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {!columns.includes(required) && (
        <p className={page.problem} role="alert">
          {words.missing(importTexts.fields[required] ?? required)}
        </p>
      )}
      <div className={page.end}>
        <Button variant="default" disabled={isBusy} onClick={onCancel}>
          {texts.common.cancel}
        </Button>
        <Button loading={isBusy} disabled={!columns.includes(required) || rows.length === 0} onClick={send}>
          {importTexts.actions[action]}
        </Button>
      </div>
    </div>
  )
}
