/** Files with links: they are uploaded here, and their jobs are listed with progress and result, as are exports. */
import { useDidUpdate, usePrevious } from '@mantine/hooks'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { refreshGroup } from '../../api/queries.js'
import { BackLink } from '../../parts/BackLink.js'
import { Card } from '../../parts/Card.js'
import { PageHead } from '../../parts/PageHead.js'
import page from '../../parts/page.module.css'
import { Rows } from '../../parts/Rows.js'
import { useMayWrite } from '../../shell/current-group.js'
import { importTexts } from '../../texts/import.js'
import { texts } from '../../texts/texts.js'
import { ExportsCard } from './ExportsCard.js'
import { JobRow } from './JobRow.js'
import { isOpen, jobsQuery } from './queries.js'
import { UploadCard } from './UploadCard.js'

const route = getRouteApi('/$group/links/imports')

export function ImportsPage() {
  const { group } = route.useParams()
  const client = useQueryClient()
  const mayWrite = useMayWrite()
  const found = useInfiniteQuery(jobsQuery(group))
  const jobs = found.data?.pages.flatMap((each) => each.jobs)
  const open = jobs?.filter(isOpen).length
  // A short job is at its end before it is seen open.
  const finished = jobs && jobs.length - (open ?? 0)
  const finishedBefore = usePrevious(finished)
  // Other pages show links, tags and numbers, which a job may have changed, and the plan has less left.
  useDidUpdate(() => {
    if (finishedBefore !== undefined) void refreshGroup(client, group)
  }, [open, finished])
  return (
    <>
      <BackLink to="/$group/links" params={{ group }}>
        {texts.shell.links}
      </BackLink>
      <PageHead title={texts.links.importFile} />
      <div className={page.page}>
        {mayWrite && <UploadCard key={group} group={group} />}
        <Card title={importTexts.files} hint={importTexts.noneHint}>
          <Rows
            query={{ ...found, data: jobs }}
            keyOf={({ guid }) => guid}
            row={(job) => <JobRow job={job} mayWrite={mayWrite} />}
            empty={importTexts.none}
          />
        </Card>
        <ExportsCard group={group} mayWrite={mayWrite} />
      </div>
    </>
  )
}
