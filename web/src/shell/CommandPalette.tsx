/** Search and commands, opened by ctrl/cmd k: the places, what can be done, and links found by the API. */
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowDownUp, Link2, Plus, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { api, ask } from '../api/client.js'
import { Dialog } from '../parts/Dialog.js'
import { texts } from '../texts/texts.js'
import styles from './CommandPalette.module.css'
import { openCreate } from './create-link.js'
import { useGroupGuid, useMayWrite } from './current-group.js'
import { usePlaces } from './places.js'

interface Entry {
  readonly key: string
  readonly label: string
  readonly hint?: string
  readonly icon: ReactNode
  readonly run: () => void
}

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useId()
  const entries = useEntries(query)
  const run = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((chosen + step + entries.length) % Math.max(1, entries.length))
    }
    if (event.key === 'Enter') run(entries[chosen])
  }
  return (
    <Dialog
      onClose={onClose}
      attributes={{ content: { 'aria-label': texts.shell.commands } }}
      withCloseButton={false}
      padding={0}
      yOffset="12vh"
      centered={false}
      size="lg"
    >
      <TextInput
        className={styles.input}
        size="md"
        variant="unstyled"
        leftSection={<Search size={18} />}
        placeholder={texts.shell.palettePlaceholder}
        aria-label={texts.shell.commands}
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={entries[chosen] ? `${list}-${chosen}` : undefined}
        value={query}
        data-autofocus
        onChange={({ currentTarget }) => {
          setQuery(currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={list} aria-label={texts.shell.commands} className={styles.list}>
        {entries.map((entry, index) => (
          <button
            key={entry.key}
            type="button"
            role="option"
            id={`${list}-${index}`}
            aria-selected={index === chosen}
            tabIndex={-1}
            className={styles.entry}
            onMouseMove={() => setChosen(index)}
            onClick={() => run(entry)}
          >
            {entry.icon}
            <span className={styles.label}>{entry.label}</span>
            {entry.hint && <span className={styles.hint}>{entry.hint}</span>}
          </button>
        ))}
        {entries.length === 0 && <p className={styles.empty}>{texts.shell.paletteEmpty}</p>}
      </div>
    </Dialog>
  )
}

function useEntries(query: string): readonly Entry[] {
  const group = useGroupGuid()
  const mayWrite = useMayWrite()
  const places = usePlaces()
  const navigate = useNavigate()
  const [words] = useDebouncedValue(query.trim(), 200)
  const { data: links = [] } = useQuery({
    queryKey: ['groups', group, 'palette', words],
    queryFn: async () => {
      const params = { path: { group_guid: group }, query: { query: words, size: 6 } }
      return (await ask(api.GET('/v4/groups/{group_guid}/shortlinks', { params }))).links
    },
    enabled: words.length > 1,
  })
  const commands: Entry[] = [
    ...(mayWrite
      ? [
          {
            key: 'create',
            label: texts.shell.createLink,
            hint: 'c',
            icon: <Plus size={16} />,
            run: () => openCreate(),
          },
        ]
      : []),
    {
      key: 'files',
      label: texts.links.importFile,
      icon: <ArrowDownUp size={16} />,
      run: () => void navigate({ to: '/$group/links/imports', params: { group } }),
    },
    ...places.map(({ to, label, Icon, key }) => ({
      key: to,
      label,
      hint: `g ${key}`,
      icon: <Icon size={16} />,
      run: () => void navigate({ to, params: { group } }),
    })),
  ]
  const found = links.map(({ id, title, long_url }) => ({
    key: id,
    label: title || id,
    hint: title ? id : long_url,
    icon: <Link2 size={16} />,
    run: () => {
      const [domain = '', hash = ''] = id.split('/')
      void navigate({ to: '/$group/links/$domain/$hash', params: { group, domain, hash } })
    },
  }))
  const isWanted = ({ label }: Entry) => label.toLowerCase().includes(query.trim().toLowerCase())
  return [...commands.filter(isWanted), ...found]
}
