import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'

export function DomainsPage() {
  return <PageHead title={texts.shell.domains} />
}
