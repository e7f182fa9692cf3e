import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'

export function LinkPage() {
  return <PageHead title={texts.shell.links} />
}
