/** What one sees of an operation after opening it. */
import { type ApiDocument, answerOf, type Content, type Schema } from './document.js'
import { disclosure, element, prose } from './element.js'
import { fieldList, parameterList } from './fields.js'
import { samplesCard } from './samples-card.js'
import { type Caller, type Described, tryIt } from './try-it.js'

export function operationBody(described: Described, caller: Caller): readonly (Node | undefined)[] {
  const { document, operation, path, method } = described
  const { parameters = [], requestBody, responses = {}, description, deprecated } = operation
  return [
    element('p', {}, deprecated === true && element('strong', {}, 'Deprecated. '), ...prose(description)),
    parameters.length > 0 ? part('Parameters', parameterList(document, parameters)) : undefined,
    ...contentParts(document, 'Body', requestBody?.content),
    part('Example', samplesCard(document, path, method)),
    part('Try it', tryIt(described, caller)),
    part(
      'Answers',
      ...Object.entries(responses).map(([status, given]) => {
        const answer = answerOf(document, given)
        return disclosure(
          { class: 'status', 'data-class': status.slice(0, 1) },
          [element('strong', {}, status), ' ', ...prose(answer.description)],
          () => contentParts(document, '', answer.content),
        )
      }),
    ),
  ]
}

/** What the service sends to a webhook. */
export function webhookBody({ document, operation }: Described): readonly (Node | undefined)[] {
  const { description, requestBody } = operation
  return [element('p', {}, ...prose(description)), ...contentParts(document, 'Body', requestBody?.content)]
}

function contentParts(document: ApiDocument, title: string, content: Content = {}): readonly HTMLElement[] {
  return Object.entries(content).map(([type, { schema }]) =>
    part([title, type].filter(Boolean).join(' · '), fieldList(document, schema) ?? kind(schema)),
  )
}

function kind(schema: Schema | undefined): HTMLElement {
  return element('p', {}, ...prose(schema?.description ?? 'A file.'))
}

function part(title: string, ...contents: readonly Node[]): HTMLElement {
  return element('section', { class: 'part' }, element('h4', {}, title), ...contents)
}
