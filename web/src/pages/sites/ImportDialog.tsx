/** A page that was made elsewhere: its file is read here, its links are shown, and those that are wanted become a site. */
import { Button, Checkbox, FileButton, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { DraftDialog } from '../../parts/DraftDialog.js'
import { Form, FormEnd } from '../../parts/Form.js'
import { fieldErrors } from '../../parts/field-errors.js'
import { errorText, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { AddressField, type SiteAddress } from './AddressField.js'
import { channelName } from './channels.js'
import { type ImportedItem, type ImportedPage, readPage } from './imported.js'
import { keywordOf } from './keyword.js'
import { addBlock, makeSite, refreshSites } from './queries.js'
import styles from './sites.module.css'

interface ImportDialogProps {
  readonly group: string
  readonly onMade: (site: string) => void
  readonly onClose: () => void
}

const maxBytes = 10 << 20

export function ImportDialog({ group, onMade, onClose }: ImportDialogProps) {
  const [found, setFound] = useState<ImportedPage>()
  const [problem, setProblem] = useState('')
  const read = async (file: File) => {
    const text = file.size > maxBytes ? '' : await file.text()
    const imported = readPage(text)
    setFound(imported)
    setProblem(imported ? '' : words.import.nothing)
  }
  return (
    <DraftDialog isChanged={found !== undefined} onClose={onClose} title={words.import.title} size="lg">
      {(leave) => (
        <div className={page.form}>
          <p className={page.hint}>{words.import.hint}</p>
          <FileButton accept=".html,.htm,.json,.csv,.txt" onChange={(file) => file && void read(file)}>
            {({ onClick }) => (
              <Button variant={found ? 'default' : 'filled'} leftSection={<FileUp size={16} />} onClick={onClick}>
                {found ? words.import.other : words.import.choose}
              </Button>
            )}
          </FileButton>
          <ProblemLine>{problem}</ProblemLine>
          {found && <Found key={found.name} group={group} found={found} onMade={onMade} onClose={leave} />}
        </div>
      )}
    </DraftDialog>
  )
}

interface FoundProps {
  readonly group: string
  readonly found: ImportedPage
  readonly onMade: (site: string) => void
  readonly onClose: () => void
}

function Found({ group, found, onMade, onClose }: FoundProps) {
  const client = useQueryClient()
  const [name, setName] = useState(found.name)
  const [typed, setTyped] = useState<SiteAddress>()
  const [chosen, setChosen] = useState<ReadonlySet<number>>(
    () => new Set(found.items.flatMap(({ problem }, at) => (problem ? [] : [at]))),
  )
  // What was made already, when a later step fails: the next try goes on there.
  const [made, setMade] = useState<{ readonly site: string; readonly items: ReadonlySet<number> }>()
  const [refused, setRefused] = useState<ReadonlyMap<number, string>>(new Map())
  const address = typed ?? { domain: '', path: `m/${keywordOf(name) || 'links'}` }
  const create = useMutation({
    mutationFn: async () => {
      const site = made?.site ?? (await makeSite(client, group, address))
      const done = new Set(made?.items)
      setMade({ site, items: new Set(done) })
      const texts = { display_name: name.trim(), description: found.description }
      await ask(api.PATCH('/v4/sites/{site_id}', { params: { path: { site_id: site } }, body: texts }))
      const failures = new Map<number, string>()
      for (const at of [...chosen].sort((one, other) => one - other)) {
        const item = found.items[at]
        if (!item || done.has(at)) continue
        try {
          await addBlock(site, item.type, bodyOf(item))
          done.add(at)
        } catch (error) {
          failures.set(at, errorText(error))
        }
        setMade({ site, items: new Set(done) })
      }
      return { site, failures }
    },
    onError: () => refreshSites(client, group),
    onSuccess: async ({ site, failures }) => {
      setRefused(failures)
      await refreshSites(client, group)
      if (failures.size === 0) onMade(site)
    },
  })
  const errors = fieldErrors(create.error, ['uri', 'keyword', 'domain', 'display_name'])
  const toggle = (at: number) =>
    setChosen((now) => (now.has(at) ? new Set([...now].filter((each) => each !== at)) : new Set([...now, at])))
  return (
    <Form onSubmit={() => create.mutate()}>
      <TextInput
        label={words.name}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={errors.of('display_name')}
        maxLength={255}
      />
      {!made && (
        <AddressField
          group={group}
          address={address}
          onChange={setTyped}
          error={errors.of('uri') ?? errors.of('keyword') ?? errors.of('domain')}
        />
      )}
      <fieldset className={styles.imported}>
        <legend>{words.import.found(found.items.length)}</legend>
        {found.items.map((item, at) => (
          <Checkbox
            key={at}
            label={
              item.title || (item.channel && (words.channels[item.channel] ?? channelName(item.channel))) || item.url
            }
            description={
              <>
                {item.url}
                {(refused.has(at) || item.problem) && (
                  <span className={styles.refused}>
                    {refused.get(at) ?? (item.problem && words.import.problems[item.problem])}
                  </span>
                )}
              </>
            }
            checked={chosen.has(at)}
            disabled={item.problem === 'no-url' || item.problem === 'not-safe' || made?.items.has(at)}
            onChange={() => toggle(at)}
          />
        ))}
      </fieldset>
      <ProblemLine>{refused.size > 0 && words.import.refused(refused.size)}</ProblemLine>
      <FormEnd
        error={errors.other && create.error}
        isBusy={create.isPending}
        isReady={chosen.size > 0}
        action={made ? words.import.again : words.import.action(chosen.size)}
        onClose={made ? () => onMade(made.site) : onClose}
      />
    </Form>
  )
}

function bodyOf({ type, title, url, channel }: ImportedItem) {
  if (type === 'text_block')
    return { content: { text: title }, appearance: { alignment: 'center' as const, text_block_style: { bold: true } } }
  if (type === 'social') return { content: { channel: channel ?? 'website', url } }
  return { content: { url, link_title: title } }
}
