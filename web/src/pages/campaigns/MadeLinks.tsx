/** The links that were made, ready to be handed on. */
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, Check, Copy, Download, Plus, QrCode } from 'lucide-react'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { copyText } from '../../parts/copy-text.js'
import { bytesOf, downloadBlob, downloadDataUri } from '../../parts/download.js'
import icon from '../../parts/IconButton.module.css'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { showDone, showError } from '../../parts/toasts.js'
import { zipOf } from '../../parts/zip.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { texts } from '../../texts/texts.js'
import { plainCode } from '../create/queries.js'
import { destinationOf, type LinksDraft, slugOf } from './make-links.js'
import styles from './NewPage.module.css'

interface MadeLinksProps {
  readonly group: string
  readonly draft: LinksDraft
  readonly onAgain: () => void
}

export function MadeLinks({ group, draft, onAgain }: MadeLinksProps) {
  const { wizard } = campaignTexts
  const made = draft.rows.map((row) => ({
    ...row,
    url: draft.links[row.key]?.url ?? '',
    destination: destinationOf(draft, row),
  }))
  const fileName = slugOf(draft.name) || 'campaign'
  const codeName = (name: string) => `${fileName}-${slugOf(name)}.svg`
  // What a printed code brings is counted as scans.
  const codeOf = (url: string) => plainCode(group, `${url}?r=qr`, 'svg')
  const saveCode = useMutation({
    mutationFn: async ({ name, url }: (typeof made)[number]) => downloadDataUri(await codeOf(url), codeName(name)),
    onError: showError,
  })
  const saveCodes = useMutation({
    mutationFn: async () => {
      const codes = await Promise.all(made.map(({ url }) => codeOf(url)))
      const files = codes.map((uri, at) => ({ name: codeName(made[at]?.name ?? ''), bytes: bytesOf(uri) }))
      downloadBlob(zipOf(files), `${fileName}-qr.zip`)
    },
    onError: showError,
  })
  const copyAll = async () => {
    if (await copyText(made.map(({ name, url }) => `${name}\t${url}`).join('\n'))) showDone(texts.common.copied)
  }
  const saveCsv = () => {
    const lines = made.map(({ name, url, destination }) => [name, url, destination])
    const text = [wizard.columns, ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
    downloadBlob(new Blob([text], { type: 'text/csv' }), `${fileName}.csv`)
  }
  return (
    <div className={page.page}>
      <Card>
        <h2 className={styles.ready}>
          <span className={styles.tick}>
            <Check size={16} strokeWidth={3} aria-hidden="true" />
          </span>
          {wizard.ready(made.length)}
        </h2>
        <div className={page.buttons}>
          <Button leftSection={<Copy size={16} />} onClick={() => void copyAll()}>
            {wizard.copyAll}
          </Button>
          <Button variant="default" leftSection={<Download size={16} />} onClick={saveCsv}>
            CSV
          </Button>
          <Button
            variant="default"
            leftSection={<QrCode size={16} />}
            loading={saveCodes.isPending}
            onClick={() => saveCodes.mutate()}
          >
            {wizard.codes}
          </Button>
        </div>
        <div className={page.spaced}>
          <Rows
            query={{ data: made, error: undefined, isPending: false, refetch: () => undefined }}
            keyOf={({ key }) => key}
            row={(one) => (
              <>
                <RowText title={one.name}>{one.destination}</RowText>
                <span className={styles.made}>
                  {one.url.replace(/^https?:\/\//, '')}
                  <CopyButton value={one.url} label={texts.links.copy(one.url)} />
                  <button
                    type="button"
                    className={icon.button}
                    aria-label={wizard.codeOf(one.name)}
                    title={wizard.codeOf(one.name)}
                    onClick={() => saveCode.mutate(one)}
                  >
                    <QrCode size={16} />
                  </button>
                </span>
              </>
            )}
            empty={null}
          />
        </div>
      </Card>
      <div className={page.end}>
        <Button variant="default" leftSection={<Plus size={16} />} onClick={onAgain}>
          {wizard.again}
        </Button>
        <Button
          rightSection={<ArrowRight size={16} />}
          renderRoot={(props) => (
            <Link
              to="/$group/campaigns/$campaign"
              params={{ group, campaign: draft.made ?? draft.campaign }}
              {...props}
            />
          )}
        >
          {wizard.open}
        </Button>
      </div>
    </div>
  )
}

/** A spreadsheet would execute what looks like a formula. */
function csvCell(text: string): string {
  const safe = /^\s*[=+\-@]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
