/** HTML whose values are escaped by where they are written: a text cannot become markup, unless it was made by `html` itself. */
import { escapeHtml } from '../../lib/html.js'

export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | undefined | false | readonly (Html | undefined | false)[]

/** Values are texts, also inside quoted attributes; `undefined` and `false` write nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, at) => part + textOf(values[at])).join(''))
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(textOf).join('')
  return escapeHtml(String(value))
}
