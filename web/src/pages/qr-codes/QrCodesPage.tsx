import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'

export function QrCodesPage() {
  return <PageHead title={texts.shell.qrCodes} />
}
