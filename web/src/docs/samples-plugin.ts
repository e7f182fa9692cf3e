/** Shows the examples of each operation before its responses. */
import type { SwaggerPlugin, SwaggerReact } from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { copyText } from '../parts/copy-text.js'
import type { ApiDocument } from './document.js'
import { type Language, languages, sampleOf } from './samples.js'

const remembered = 'shortlink-docs-language'

interface OperationProps {
  readonly path: string
  readonly method: string
}

export function samplesPlugin(document: ApiDocument): SwaggerPlugin {
  return ({ React }) => {
    const Samples = samplesComponent(React, document)
    return {
      wrapComponents: {
        // A link inside of a button, which screen readers cannot reach. The address follows without it.
        DeepLink:
          () =>
          ({ text }: { readonly text: string }) =>
            React.createElement('span', {}, text),
        responses: (Original: unknown) => (props: OperationProps) =>
          React.createElement(
            'div',
            {},
            React.createElement(Samples, { path: props.path, method: props.method }),
            React.createElement(Original, props),
          ),
      },
    }
  }
}

function samplesComponent(React: SwaggerReact, document: ApiDocument) {
  const h = React.createElement
  return function Samples({ path, method }: OperationProps) {
    const [language, choose] = React.useState<Language>(storedLanguage())
    const [isCopied, setCopied] = React.useState(false)
    const code = sampleOf(document, { path, method, origin: location.origin }, language)
    const tab = (each: Language) =>
      h(
        'button',
        {
          key: each,
          type: 'button',
          'aria-pressed': each === language,
          onClick: () => {
            localStorage.setItem(remembered, each)
            choose(each)
            setCopied(false)
          },
        },
        each,
      )
    const copy = async () => setCopied(await copyText(code))
    return h(
      'section',
      { className: 'docs-samples', 'aria-label': 'Examples' },
      h(
        'div',
        { className: 'docs-samples-head' },
        h('h4', {}, 'Example'),
        h('div', { role: 'group', 'aria-label': 'Language' }, ...languages.map(tab)),
        h('button', { type: 'button', className: 'docs-copy', onClick: copy }, isCopied ? 'Copied' : 'Copy'),
      ),
      h('pre', { tabIndex: 0, 'aria-label': `Example in ${language}` }, h('code', {}, code)),
    )
  }
}

function storedLanguage(): Language {
  const stored = localStorage.getItem(remembered)
  return languages.find((each) => each === stored) ?? 'curl'
}
