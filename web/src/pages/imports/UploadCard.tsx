import { Button, Checkbox, FileButton, Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, Upload } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { Card } from '../../parts/Card.js'
import { downloadBlob } from '../../parts/download.js'
import { errorText, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { importTexts } from '../../texts/import.js'
import { useDomains } from '../create/queries.js'
import styles from './imports.module.css'
import { Preview } from './Preview.js'
import { type Action, jobsQuery, sendFile } from './queries.js'
import { type FileTable, readTable } from './read-table.js'

export function UploadCard({ group }: { readonly group: string }) {
  const client = useQueryClient()
  const domains = useDomains(group)
  const [action, setAction] = useState<Action>('create')
  const [domain = domains[0], setDomain] = useState<string>()
  const [strict, setStrict] = useState(true)
  const [isOver, setIsOver] = useState(false)
  const [chosen, setChosen] = useState<{ readonly file: File; readonly table: FileTable }>()
  const forgetFile = useRef<() => void>(null)
  const upload = useMutation({
    mutationFn: (file: File) =>
      sendFile(file, {
        action,
        group,
        strict: action === 'create' && strict,
        domain: action === 'create' ? domain : undefined,
      }),
    onSuccess: () => {
      setChosen(undefined)
      return client.invalidateQueries({ queryKey: jobsQuery(group).queryKey })
    },
  })
  const read = useMutation({
    mutationFn: readTable,
    // What the browser cannot read, the service may, or it says why not.
    onSuccess: (table, file) => (table ? setChosen({ file, table }) : upload.mutate(file)),
    // So that the same file can be chosen again.
    onSettled: () => forgetFile.current?.(),
  })
  const preview = useRef<HTMLElement>(null)
  const fileButton = useRef<HTMLButtonElement>(null)
  const hadPreview = useRef(false)
  const isBusy = read.isPending || upload.isPending
  // A button that is busy takes no focus.
  useEffect(() => {
    if (Boolean(chosen) === hadPreview.current || isBusy) return
    hadPreview.current = Boolean(chosen)
    ;(chosen ? preview : fileButton).current?.focus()
  }, [chosen, isBusy])
  const choose = (file: File | null | undefined) => {
    upload.reset()
    if (file) read.mutate(file)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    choose(event.dataTransfer.files[0])
  }
  return (
    <Card
      title={importTexts.upload}
      hint={importTexts.hints[action]}
      actions={
        <Button
          className={styles.example}
          variant="subtle"
          size="compact-sm"
          leftSection={<Download size={14} />}
          onClick={() => downloadBlob(new Blob([examples[action]], { type: 'text/csv' }), `${action}-links.csv`)}
        >
          {importTexts.example}
        </Button>
      }
    >
      <div className={page.form}>
        <div className={page.pair}>
          <Select
            label={importTexts.action}
            data={uploadActions.map((value) => ({ value, label: importTexts.actions[value] }))}
            value={action}
            onChange={(chosen) => setAction(chosen as Action)}
            allowDeselect={false}
          />
          {action === 'create' && domains.length > 1 && (
            <Select
              label={importTexts.domain}
              data={domains}
              value={domain ?? null}
              onChange={(chosen) => setDomain(chosen ?? undefined)}
              allowDeselect={false}
            />
          )}
        </div>
        {action === 'create' && (
          <Checkbox
            label={importTexts.strict}
            description={importTexts.strictHint}
            checked={strict}
            onChange={({ currentTarget }) => setStrict(currentTarget.checked)}
          />
        )}
        {chosen ? (
          <Preview
            key={action}
            {...chosen}
            action={action}
            strict={action === 'create' && strict}
            region={preview}
            isBusy={upload.isPending}
            onSend={upload.mutate}
            onCancel={() => {
              upload.reset()
              setChosen(undefined)
            }}
          />
        ) : (
          <>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: for the pointer; the button in it does the same for everybody. */}
            <div
              className={styles.drop}
              data-over={isOver}
              onDragOver={(event) => {
                event.preventDefault()
                setIsOver(true)
              }}
              onDragLeave={() => setIsOver(false)}
              onDrop={onDrop}
            >
              <FileButton accept=".csv,.xlsx,.tsv,.txt" onChange={choose} resetRef={forgetFile}>
                {({ onClick }) => (
                  <Button ref={fileButton} leftSection={<Upload size={16} />} loading={isBusy} onClick={onClick}>
                    {importTexts.choose}
                  </Button>
                )}
              </FileButton>
              <p className={page.hint}>{importTexts.dropHint}</p>
            </div>
          </>
        )}
        <ProblemLine>{read.error ? importTexts.unreadable : upload.error && errorText(upload.error)}</ProblemLine>
      </div>
    </Card>
  )
}

const uploadActions: readonly Action[] = ['create', 'edit']

const examples: Readonly<Record<Action, string>> = {
  create: `long_url,keyword,title,tags
https://www.example.com/autumn,autumn-sale,Autumn sale,autumn;newsletter
https://www.example.com/shoes,,Shoes,autumn
`,
  edit: `link,title,tags,long_url,archived
go.example.com/autumn-sale,Autumn sale until Sunday,autumn;last-days,,
go.example.com/summer-sale,,,,true
`,
}
