import { Button, TextInput } from '@mantine/core'
import type { BrandedDomain } from '../../api/types.js'
import { Form, useField } from '../../parts/Form.js'
import { useFieldErrors, wrongUrl } from '../../parts/field-errors.js'
import { ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { domainTexts } from '../../texts/domains.js'
import { texts } from '../../texts/texts.js'
import { useChangeDomain } from './queries.js'

const words = domainTexts.pagesStep

/** Where the bare domain and unknown links lead. */
export function PagesStep({ domain }: { readonly domain: BrandedDomain }) {
  const root = useField(domain.root_url ?? '')
  const notFound = useField(domain.not_found_url ?? '')
  const save = useChangeDomain(domain)
  const isAdmin = useIsAdmin()
  const submit = () => {
    const changes = { root_url: root.value.trim(), not_found_url: notFound.value.trim() }
    save.mutate(changes, { onSuccess: () => showDone(texts.common.saved) })
  }
  const errors = useFieldErrors(save.error, ['root_url', 'not_found_url'], {
    root_url: wrongUrl(root.value),
    not_found_url: wrongUrl(notFound.value),
  })
  return (
    <Form onSubmit={submit}>
      <p className={page.hint}>{words.hint}</p>
      <div className={page.pair}>
        <TextInput
          label={words.rootUrl}
          description={words.urlHint}
          placeholder="https://www.example.com"
          {...root.input}
          error={errors.of('root_url')}
        />
        <TextInput
          label={words.notFoundUrl}
          description={words.urlHint}
          placeholder="https://www.example.com/not-found"
          {...notFound.input}
          error={errors.of('not_found_url')}
        />
      </div>
      <ProblemLine>{errors.other}</ProblemLine>
      <div className={page.buttons}>
        <Button type="submit" loading={save.isPending} disabled={!isAdmin}>
          {texts.common.save}
        </Button>
      </div>
    </Form>
  )
}
