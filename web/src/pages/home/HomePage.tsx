import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'

export function HomePage() {
  return <PageHead title={texts.shell.home} />
}
