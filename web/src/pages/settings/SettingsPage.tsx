import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'

export function SettingsPage() {
  return <PageHead title={texts.shell.settings} />
}
