/** The values of a chart with their comments: values.yaml has one value per line, below its comment. */
export interface ChartValue {
  /** `image.repository` */
  readonly path: string
  readonly value: string
  readonly comment: string
}

export function valuesIn(yaml: string): readonly ChartValue[] {
  const values: ChartValue[] = []
  let section = ''
  let comment: string[] = []
  for (const line of yaml.split('\n')) {
    const [, text] = /^ *# (.*)$/.exec(line) ?? []
    const [, indent = '', name = '', value = ''] = /^( *)(\w+):(?: (.*))?$/.exec(line) ?? []
    if (text !== undefined) {
      comment.push(text)
      continue
    }
    if (indent === '' && name !== '') section = name
    const isSection = indent === '' && value === '' && comment.length === 0
    // What is below a value belongs to it.
    const isInside = indent.length > 2 || (indent !== '' && values.at(-1)?.path === section)
    const path = indent === '' ? name : `${section}.${name}`
    if (name !== '' && !isSection && !isInside) values.push({ path, value, comment: comment.join(' ') })
    comment = []
  }
  return values
}

export function valueTable(values: readonly ChartValue[]): string {
  const shown = (value: string) => (value === '""' ? 'empty' : value === '' ? 'see `values.yaml`' : `\`${value}\``)
  const rows = values.map(({ path, value, comment }) => `| \`${path}\` | ${shown(value)} | ${comment} |`)
  return ['| value | default | meaning |', '|---|---|---|', ...rows].join('\n')
}
