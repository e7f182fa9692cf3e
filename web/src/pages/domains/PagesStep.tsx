import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/client.js'
import type { BrandedDomain } from '../../api/types.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { domainTexts } from '../../texts/domains.js'
import { texts } from '../../texts/texts.js'
import { useChangeDomain } from './queries.js'

const words = domainTexts.pagesStep

/** Where the bare domain and unknown links lead. */
export function PagesStep({ domain }: { readonly domain: BrandedDomain }) {
  const [root, setRoot] = useState(domain.root_url ?? '')
  const [notFound, setNotFound] = useState(domain.not_found_url ?? '')
  const save = useChangeDomain(domain)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const changes = { root_url: root.trim(), not_found_url: notFound.trim() }
    save.mutate(changes, { onSuccess: () => showDone(texts.common.saved) })
  }
  const isAbout = (field: string) =>
    save.error instanceof ApiError && save.error.fieldMessage(field) !== undefined ? errorText(save.error) : undefined
  return (
    <form onSubmit={submit} className={page.form}>
      <p className={page.hint}>{words.hint}</p>
      <div className={page.pair}>
        <TextInput
          label={words.rootUrl}
          description={words.urlHint}
          placeholder="https://www.example.com"
          value={root}
          onChange={({ currentTarget }) => setRoot(currentTarget.value)}
          error={isAbout('root_url')}
        />
        <TextInput
          label={words.notFoundUrl}
          description={words.urlHint}
          placeholder="https://www.example.com/not-found"
          value={notFound}
          onChange={({ currentTarget }) => setNotFound(currentTarget.value)}
          error={isAbout('not_found_url')}
        />
      </div>
      {save.error && !isAbout('root_url') && !isAbout('not_found_url') && (
        <p role="alert" className={page.problem}>
          {errorText(save.error)}
        </p>
      )}
      <div className={page.buttons}>
        <Button type="submit" loading={save.isPending}>
          {texts.common.save}
        </Button>
      </div>
    </form>
  )
}
