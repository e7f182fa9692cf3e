/** Publishing: what changes for visitors, then that it is done, with the page to hand on. */
import { Button, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, withEtag } from '../../api/client.js'
import { Conflict, ifUnchanged } from '../../api/save-merged.js'
import { readModified } from '../../parts/careful-delete.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd } from '../../parts/Form.js'
import { ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { changesOf, type Version } from './changes.js'
import { type Block, type Site, type Template, titleOf } from './model.js'
import { liveQuery, refreshSites, templatesQuery } from './queries.js'
import { SiteShare } from './SiteShare.js'
import styles from './sites.module.css'

interface PublishDialogProps {
  readonly site: Site
  readonly onClose: () => void
}

export function PublishDialog({ site, onClose }: PublishDialogProps) {
  const client = useQueryClient()
  const wasLive = site.last_published !== undefined
  const live = useQuery({ ...liveQuery(site), enabled: wasLive })
  const [seen, setSeen] = useState(site.modified)
  const params = { path: { site_id: site.site_guid } }
  const publish = useMutation({
    // What another person changed meanwhile is shown first: it would be published too.
    mutationFn: () =>
      ifUnchanged(
        seen,
        () => readModified(api.GET('/v4/sites/{site_id}', { params, headers: withEtag })),
        (headers) => ask(api.POST('/v4/sites/{site_id}/publish', { params, headers })),
      ),
    onError: (error) => {
      if (error instanceof Conflict) setSeen(error.theirs as string)
    },
    onSettled: () => refreshSites(client, site.group_guid),
  })
  const isChanged = publish.error instanceof Conflict
  const { data: templates = [] } = useQuery(templatesQuery)
  const samples = samplesOn(site, templates)
  if (publish.isSuccess) {
    return (
      <Dialog onClose={onClose} title={words.publish.done} size="lg">
        <div className={page.form}>
          <SiteShare site={site} />
          <div className={page.end}>
            <Button variant="default" onClick={onClose}>
              {words.publish.close}
            </Button>
          </div>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={words.publish.title} size="md">
      <Form onSubmit={() => publish.mutate()}>
        {wasLive && live.isPending && <Skeleton height={80} />}
        {wasLive && live.data && <ChangeList live={live.data} draft={site} />}
        {!wasLive && <p className={page.hint}>{words.publish.first}</p>}
        {samples.length > 0 && <p className={styles.note}>{words.publish.samples(samples)}</p>}
        <ProblemLine>{isChanged && words.publish.changed}</ProblemLine>
        <FormEnd
          error={!isChanged && publish.error}
          isBusy={publish.isPending}
          action={samples.length > 0 ? words.publish.anyway : words.publish.open}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}

interface ChangeListProps {
  readonly live: Version
  readonly draft: Version
}

function ChangeList({ live, draft }: ChangeListProps) {
  const { isRenamed, isDescribed, isRestyled, blocks } = changesOf(live, draft)
  const { kinds } = words.publish
  if (!isRenamed && !isDescribed && !isRestyled && blocks.length === 0) {
    return <p className={page.hint}>{words.publish.nothing}</p>
  }
  return (
    <ul className={styles.changes}>
      {isRenamed && <Rewritten label={words.publish.renamed} from={live} to={draft} name="display_name" />}
      {isDescribed && <Rewritten label={words.publish.described} from={live} to={draft} name="description" />}
      {isRestyled && <li data-kind="changed">{words.publish.restyled}</li>}
      {blocks.map(({ kind, block }) => (
        <li key={block.block_id} data-kind={kind}>
          <span className={styles.kind}>{kinds[kind]}</span> <span dir="auto">{nameOf(block)}</span>
        </li>
      ))}
    </ul>
  )
}

interface RewrittenProps {
  readonly label: string
  readonly from: Version
  readonly to: Version
  readonly name: 'display_name' | 'description'
}

/** What visitors read now, and what they will. */
function Rewritten({ label, from, to, name }: RewrittenProps) {
  return (
    <li data-kind="changed">
      <span className={styles.kind}>{label}</span> {from.content[name] && <del dir="auto">{from.content[name]}</del>}{' '}
      <ins dir="auto">{to.content[name] || words.publish.noWords}</ins>
    </li>
  )
}

/** What came with a template, nobody changed, and visitors would see. */
function samplesOn({ content, blocks = [] }: Site, templates: readonly Template[]): readonly string[] {
  const isSample = content.description && templates.some((each) => each.content.description === content.description)
  const shown = blocks.filter(({ is_sample, is_active }) => is_sample && is_active)
  return [...(isSample ? [content.description] : []), ...shown.map(nameOf)]
}

function nameOf(block: Block): string {
  return titleOf(block) || words.types[block.type]
}
