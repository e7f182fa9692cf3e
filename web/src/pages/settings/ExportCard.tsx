import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { downloadDataUri } from '../../parts/download.js'
import { formatNumber } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { showDone, showError } from '../../parts/toasts.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'

/** The links of the current group as a file. */
export function ExportCard() {
  const group_guid = useGroupGuid()
  const { settings } = people
  const run = useMutation({
    mutationFn: (include_metrics: boolean) => {
      // The types cannot express that `filter` is an object or an empty text.
      const body = { export_type: 'links_list' as const, filter: { archived: 'both' } as never, include_metrics }
      return ask(api.POST('/v4/groups/{group_guid}/exports', { params: { path: { group_guid } }, body }))
    },
    onSuccess: ({ data_uri, filename, row_count, truncated }) => {
      downloadDataUri(data_uri, filename)
      const rows = formatNumber(row_count)
      showDone(truncated ? settings.truncated(rows) : settings.exported(row_count, rows))
    },
    onError: showError,
  })
  const button = (withClicks: boolean, label: string) => (
    <Button
      variant="default"
      leftSection={<Download size={16} />}
      loading={run.isPending && run.variables === withClicks}
      onClick={() => run.mutate(withClicks)}
    >
      {label}
    </Button>
  )
  return (
    <Card title={settings.export} hint={settings.exportHint}>
      <div className={page.buttons}>
        {button(false, settings.exportLinks)}
        {button(true, settings.exportClicks)}
      </div>
    </Card>
  )
}
