import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'

export function AccountPage() {
  return <PageHead title={texts.shell.account} />
}
