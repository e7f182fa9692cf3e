/** Elements of this page, which needs no framework: it would share one with the dashboard, and split its first load. */
type Child = Node | string | undefined | false
type Attribute = string | number | boolean | undefined | ((event: Event) => void)

/** Attributes that are undefined or false are left out; functions listen to events. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value)
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value))
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== false))
  return made
}

/** A text of the document: what stands between backticks is code. */
export function prose(text = ''): readonly (HTMLElement | string)[] {
  return text.split('`').map((part, at) => (at % 2 ? element('code', {}, part) : part))
}

/** Opens to what `contents` makes the first time. */
export function disclosure(
  attributes: Readonly<Record<string, string>>,
  summary: readonly Child[],
  contents: () => readonly (Node | undefined)[],
): HTMLDetailsElement {
  const made = element('details', attributes, element('summary', {}, summary))
  const fill = () => {
    if (made.open && made.childElementCount === 1) made.append(...contents().filter((node) => node !== undefined))
  }
  made.addEventListener('toggle', fill)
  return made
}
