/** Shortens many URLs at once: what was pasted, before and after. */
import { Button, Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, QrCode, X } from 'lucide-react'
import { useState } from 'react'
import { ApiError, api, ask } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import type { operations } from '../../api/schema.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { copyText } from '../../parts/copy-text.js'
import { Dialog } from '../../parts/Dialog.js'
import icon from '../../parts/IconButton.module.css'
import { isUrl } from '../../parts/is-url.js'
import { errorText, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { RunButton } from '../../parts/RunButton.js'
import { showDone, showError, showProblem } from '../../parts/toasts.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { importTexts } from '../../texts/import.js'
import { texts } from '../../texts/texts.js'
import styles from './LinkForm.module.css'
import { useDomains } from './queries.js'
import { codesOf, saveCodes, saveCsv } from './save-links.js'

type Result = operations['bulkShorten']['responses'][200]['content']['application/json']['results'][number]

/** Of one request of the API. */
const maxUrls = 1000

interface ManyDialogProps {
  readonly urls: readonly string[]
  readonly onClose: () => void
}

export function ManyDialog({ urls: pasted, onClose }: ManyDialogProps) {
  const words = texts.many
  const group_guid = useGroupGuid()
  const domains = useDomains(group_guid)
  const [domain = domains[0] ?? '', setDomain] = useState<string>()
  const [urls, setUrls] = useState(pasted.slice(0, maxUrls))
  const client = useQueryClient()
  const shorten = useMutation({
    mutationFn: () => {
      const links = urls.map((long_url) => ({ long_url }))
      return ask(api.POST('/v4/bulk/shorten', { body: { links, group_guid, ...(domain && { domain }) } }))
    },
    onSuccess: () => refreshGroup(client, group_guid),
  })
  const results = shorten.data?.results
  const made = results?.flatMap(({ link }) => (link ? [link.link] : [])) ?? []
  const copyAll = async () => {
    if (await copyText(made.join('\n'))) showDone(texts.common.copied)
    else showProblem(importTexts.copyFailed)
  }
  const saveAll = () => {
    const rows = urls.map((url, at) => [url, results?.[at]?.link?.link ?? '', problemOf(results?.[at])])
    saveCsv([importTexts.columns, ...rows], 'links')
  }
  const codes = useMutation({ mutationFn: () => saveCodes(group_guid, codesOf(made), 'links'), onError: showError })
  const wrong = urls.filter((url) => !isUrl(url)).length
  return (
    <Dialog onClose={onClose} title={results ? words.done(made.length) : words.title(urls.length)} size="lg">
      <div className={styles.form}>
        {pasted.length > maxUrls && <p className={styles.hint}>{words.tooMany(maxUrls)}</p>}
        {!results && wrong > 0 && <p className={page.problem}>{importTexts.preview.problems(wrong)}</p>}
        {!results && (
          <Select
            label={texts.create.domain}
            data={[...domains]}
            value={domain}
            onChange={(chosen) => chosen && setDomain(chosen)}
            allowDeselect={false}
            disabled={domains.length < 2}
          />
        )}
        {/* It scrolls, so the keyboard has to reach it. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
        <ol className={styles.many} aria-label={words.preview} tabIndex={0}>
          {urls.map((url, index) => (
            <li key={url}>
              <span className={styles.manyUrl} title={url}>
                {url}
              </span>
              {!results && !isUrl(url) && <span className={page.problem}>{importTexts.problems.url}</span>}
              {results ? (
                <Made result={results[index]} />
              ) : (
                <button
                  type="button"
                  className={icon.button}
                  aria-label={words.remove(url)}
                  onClick={({ currentTarget }) => {
                    const row = currentTarget.closest('li')
                    const near = row?.nextElementSibling ?? row?.previousElementSibling
                    // The button goes, and the focus must not go with it.
                    ;(near?.querySelector('button') ?? row?.closest('ol'))?.focus()
                    setUrls(urls.filter((each) => each !== url))
                  }}
                >
                  <X size={16} />
                </button>
              )}
            </li>
          ))}
        </ol>
        <ProblemLine>{shorten.error && errorText(shorten.error)}</ProblemLine>
        <div className={styles.end}>
          <Button variant="default" onClick={onClose}>
            {results ? texts.common.close : texts.common.cancel}
          </Button>
          {results && (
            <>
              <Button variant="default" leftSection={<Download size={16} />} onClick={saveAll}>
                CSV
              </Button>
              <RunButton run={codes} variant="default" leftSection={<QrCode size={16} />} disabled={made.length === 0}>
                {importTexts.codes}
              </RunButton>
            </>
          )}
          {results ? (
            <Button disabled={made.length === 0} onClick={() => void copyAll()}>
              {importTexts.copyAll}
            </Button>
          ) : (
            <RunButton run={shorten} disabled={urls.length === 0}>
              {words.submit(urls.length)}
            </RunButton>
          )}
        </div>
      </div>
    </Dialog>
  )
}

/** The short link of a row, or why there is none. */
function Made({ result }: { readonly result: Result | undefined }) {
  if (!result?.link) return <span className={page.problem}>{problemOf(result)}</span>
  const { link } = result.link
  return (
    <span className={styles.manyLink}>
      {link.replace(/^https?:\/\//, '')}
      <CopyButton value={link} label={texts.links.copy(link)} />
    </span>
  )
}

function problemOf({ status = 500, error, link }: Partial<Result> = {}): string {
  if (link) return ''
  return errorText(new ApiError(status, error?.message ?? '', error?.description ?? '', [], error?.resource))
}
