/** Views: what a page is filtered by, under a name, for everybody in the group. */
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router'
import { Bookmark, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { api, ask } from '../api/client.js'
import type { components } from '../api/schema.js'
import { useGroupGuid, useMayWrite } from '../shell/current-group.js'
import { texts } from '../texts/texts.js'
import { Form, useField } from './Form.js'
import { Pill } from './Pill.js'
import { showError, showUndo } from './toasts.js'
import styles from './Views.module.css'

type View = components['schemas']['View']

interface ViewsProps<Search extends object> {
  readonly page: View['page']
  /** What the page is filtered by. */
  readonly search: Search
  /** How the page reads its URL. */
  readonly read: (raw: Record<string, unknown>) => Search
  readonly onOpen: (search: Search) => void
}

export function Views<Search extends object>({ page, search, read, onOpen }: ViewsProps<Search>) {
  const { views: words } = texts.links
  const group = useGroupGuid()
  const mayWrite = useMayWrite()
  const { data } = useQuery(viewsQuery(group))
  const { save, remove } = useChangeViews(group)
  const views = (data ?? []).filter((view) => view.page === page)
  const searchOf = (view: View) => read(defaultParseSearch(`?${view.query}`))
  const query = written(read(search as Record<string, unknown>))
  const current = views.find((view) => written(searchOf(view)) === query)
  useEffect(() => {
    if (page !== 'links' || !mayWrite || !data) return
    const known = new Set(data.map(({ name }) => name))
    for (const [name, raw] of takeFormerViews(group)) {
      if (!known.has(name)) save.mutate({ name, page, query: written(read(raw)), known: undefined })
    }
  }, [page, group, mayWrite, data, save.mutate, read])
  return (
    <Pill icon={<Bookmark size={16} />} label={words.title} value={current?.name}>
      {views.length === 0 && !(mayWrite && query) && <p className={styles.hint}>{words.none}</p>}
      <ul className={styles.views}>
        {views.map((view) => (
          <li key={view.guid}>
            <Button
              variant={view === current ? 'light' : 'subtle'}
              color={view === current ? 'accent' : 'gray'}
              justify="flex-start"
              fullWidth
              aria-current={view === current || undefined}
              onClick={() => onOpen(searchOf(view))}
            >
              {view.name}
            </Button>
            {mayWrite && (
              <ActionIcon size="lg" aria-label={words.remove(view.name)} onClick={() => remove.mutate(view)}>
                <Trash2 size={16} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      {mayWrite && query && !current && (
        <SaveForm
          isBusy={save.isPending}
          taken={views.map(({ name }) => name)}
          onSave={(name) => save.mutate({ name, page, query, known: views.find((view) => view.name === name) })}
        />
      )}
    </Pill>
  )
}

interface SaveFormProps {
  readonly isBusy: boolean
  /** Names of views that would be replaced. */
  readonly taken: readonly string[]
  readonly onSave: (name: string) => void
}

function SaveForm({ isBusy, taken, onSave }: SaveFormProps) {
  const name = useField('')
  const submit = () => {
    if (name.value.trim()) onSave(name.value.trim())
  }
  return (
    <Form onSubmit={submit} className={styles.form}>
      <TextInput
        label={texts.links.views.name}
        description={texts.links.views.hint}
        {...name.input}
        maxLength={60}
        autoComplete="off"
        required
      />
      <Button type="submit" loading={isBusy} disabled={name.value.trim() === ''}>
        {taken.includes(name.value.trim()) ? texts.links.views.replace : texts.links.views.save}
      </Button>
    </Form>
  )
}

/** Views of links were kept in the browser once. They are taken over for the group, once. */
function takeFormerViews(group: string): readonly (readonly [name: string, search: Record<string, unknown>])[] {
  const key = `shortlink-views-${group}`
  try {
    const views: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    localStorage.removeItem(key)
    if (!Array.isArray(views)) return []
    return views.flatMap(({ name, search }) => (typeof name === 'string' ? [[name, { ...search }] as const] : []))
  } catch {
    return []
  }
}

/** Only what is set, as in the URL of the page. */
function written(search: object): string {
  const set = Object.entries(search).filter(([, value]) => value !== undefined)
  return defaultStringifySearch(Object.fromEntries(set)).slice(1)
}

function viewsQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'views'],
    queryFn: async () =>
      (await ask(api.GET('/v4/groups/{group_guid}/views', { params: { path: { group_guid } } }))).views,
    staleTime: 60_000,
  })
}

interface SavedView extends Pick<View, 'name' | 'page' | 'query'> {
  /** The view that has the name already: it is replaced. */
  readonly known: View | undefined
}

function useChangeViews(group_guid: string) {
  const client = useQueryClient()
  const done = {
    onSuccess: () => client.invalidateQueries({ queryKey: viewsQuery(group_guid).queryKey }),
    onError: showError,
  }
  const save = useMutation({
    mutationFn: ({ known, ...body }: SavedView) => {
      if (!known) return ask(api.POST('/v4/groups/{group_guid}/views', { params: { path: { group_guid } }, body }))
      const params = { path: { group_guid, view_guid: known.guid } }
      return ask(api.PATCH('/v4/groups/{group_guid}/views/{view_guid}', { params, body: { query: body.query } }))
    },
    ...done,
  })
  const remove = useMutation({
    mutationFn: ({ guid }: View) =>
      ask(
        api.DELETE('/v4/groups/{group_guid}/views/{view_guid}', { params: { path: { group_guid, view_guid: guid } } }),
      ),
    ...done,
    onSuccess: (_, { name, page, query }) => {
      showUndo(texts.links.views.removed(name), () => save.mutate({ name, page, query, known: undefined }))
      return done.onSuccess()
    },
  })
  return { save, remove }
}
