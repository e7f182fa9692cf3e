import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'

export function CampaignsPage() {
  return <PageHead title={texts.shell.campaigns} />
}
