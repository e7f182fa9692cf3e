/** Views: sets of filters with a name, one list for each group. They are kept in this browser; to share one, share its URL. */
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Bookmark, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { Pill } from './Pill.js'
import { isFiltered, type LinkSearch, readLinkSearch } from './search.js'
import styles from './Views.module.css'

interface View {
  readonly name: string
  readonly search: LinkSearch
}

interface ViewsProps {
  readonly search: LinkSearch
  readonly onChange: (search: LinkSearch) => void
}

export function Views({ search, onChange }: ViewsProps) {
  const { views: words } = texts.links
  const group = useGroupGuid()
  const [views, setViews] = useLocalStorage<readonly View[]>({
    key: `shortlink-views-${group}`,
    defaultValue: [],
    deserialize: readViews,
    getInitialValueInEffect: false,
  })
  const current = views.find((view) => isSame(view.search, search))
  const others = (name: string) => views.filter((view) => view.name !== name)
  const save = (name: string) =>
    setViews([...others(name), { name, search }].sort((one, other) => one.name.localeCompare(other.name)))
  return (
    <Pill icon={<Bookmark size={16} />} label={words.title} value={current?.name}>
      {views.length === 0 && !isFiltered(search) && <p className={styles.hint}>{words.none}</p>}
      <ul className={styles.views}>
        {views.map((view) => (
          <li key={view.name}>
            <Button
              variant={view === current ? 'light' : 'subtle'}
              color={view === current ? 'accent' : 'gray'}
              justify="flex-start"
              fullWidth
              aria-current={view === current || undefined}
              onClick={() => onChange(view.search)}
            >
              {view.name}
            </Button>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={words.remove(view.name)}
              onClick={() => setViews(others(view.name))}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {isFiltered(search) && !current && <SaveForm onSave={save} />}
    </Pill>
  )
}

function SaveForm({ onSave }: { readonly onSave: (name: string) => void }) {
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim()) onSave(name.trim())
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <TextInput
        label={texts.links.views.name}
        description={texts.links.views.hint}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        maxLength={60}
        autoComplete="off"
        required
      />
      <Button type="submit" disabled={name.trim() === ''}>
        {texts.links.views.save}
      </Button>
    </form>
  )
}

/** Whatever is stored, also by another version. */
function readViews(stored: string | undefined): readonly View[] {
  try {
    const views: unknown = JSON.parse(stored ?? '[]')
    if (!Array.isArray(views)) return []
    return views.flatMap(({ name, search }) =>
      typeof name === 'string' ? [{ name, search: set(readLinkSearch({ ...search })) }] : [],
    )
  } catch {
    return []
  }
}

function isSame(one: LinkSearch, other: LinkSearch): boolean {
  return JSON.stringify(set(one)) === JSON.stringify(set(other))
}

/** Only what is set, in the order of the filters. */
function set(search: LinkSearch): LinkSearch {
  return JSON.parse(JSON.stringify(readLinkSearch({ ...search })))
}
