import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { ExportButton } from '../../parts/ExportButton.js'
import page from '../../parts/page.module.css'
import { useGroupGuid } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'

/** The links of the current group as a file. */
export function ExportCard() {
  const group_guid = useGroupGuid()
  const { settings } = people
  const button = (include_metrics: boolean, label: string) => (
    <ExportButton
      label={label}
      start={() => {
        const params = { path: { group_guid }, query: { archived: 'both' as const } }
        return ask(api.POST('/v4/groups/{group_guid}/shortlinks/exports', { params, body: { include_metrics } }))
      }}
    />
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
