/** The links that were made, ready to be handed on. */
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, Check, Copy, Download, Plus, QrCode } from 'lucide-react'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { copyText } from '../../parts/copy-text.js'
import { downloadDataUri } from '../../parts/download.js'
import icon from '../../parts/IconButton.module.css'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { RunButton } from '../../parts/RunButton.js'
import { showDone, showError } from '../../parts/toasts.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { importTexts } from '../../texts/import.js'
import { texts } from '../../texts/texts.js'
import { codeOf, saveCodes, saveCsv, uniqueNames } from '../create/save-links.js'
import { destinationOf, type LinksDraft, slugOf } from './make-links.js'
import styles from './NewPage.module.css'

interface MadeLinksProps {
  readonly group: string
  readonly draft: LinksDraft
  readonly onAgain: () => void
  readonly onLeave: () => void
}

export function MadeLinks({ group, draft, onAgain, onLeave }: MadeLinksProps) {
  const { wizard } = campaignTexts
  const fileName = slugOf(draft.name) || 'campaign'
  const codeNames = uniqueNames(draft.rows.map(({ name }) => [fileName, slugOf(name)].filter(Boolean).join('-')))
  const made = draft.rows.map((row, at) => ({
    ...row,
    codeName: codeNames[at] ?? '',
    url: draft.links[row.key]?.url ?? '',
    destination: destinationOf(draft, row),
  }))
  const saveCode = useMutation({
    mutationFn: async ({ codeName, url }: (typeof made)[number]) =>
      downloadDataUri(await codeOf(group, url), `${codeName}.svg`),
    onError: showError,
  })
  const saveAll = useMutation({
    mutationFn: () => {
      const codes = made.map(({ codeName, url }) => ({ name: codeName, url }))
      return saveCodes(group, codes, fileName)
    },
    onError: showError,
  })
  const copyAll = async () => {
    if (await copyText(made.map(({ name, url }) => `${name}\t${url}`).join('\n'))) showDone(texts.common.copied)
  }
  const rows = made.map(({ name, url, destination }) => [name, url, destination])
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
            {importTexts.copyAll}
          </Button>
          <Button
            variant="default"
            leftSection={<Download size={16} />}
            onClick={() => saveCsv([wizard.columns, ...rows], fileName)}
          >
            CSV
          </Button>
          <RunButton run={saveAll} variant="default" leftSection={<QrCode size={16} />}>
            {importTexts.codes}
          </RunButton>
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
              onClick={onLeave}
            />
          )}
        >
          {wizard.open}
        </Button>
      </div>
    </div>
  )
}
