/** What is on the page: who it is about, and its blocks. */
import { Card } from '../../parts/Card.js'
import { siteTexts as words } from '../../texts/sites.js'
import { BlockList } from './BlockList.js'
import type { Site } from './model.js'
import { ProfileCard } from './ProfileCard.js'
import type { Overlay } from './queries.js'

interface ContentTabProps {
  readonly site: Site
  readonly mayWrite: boolean
  readonly onOverlay: (overlay: Overlay) => void
}

export function ContentTab({ site, mayWrite, onOverlay }: ContentTabProps) {
  return (
    <>
      <ProfileCard site={site} mayWrite={mayWrite} onOverlay={onOverlay} />
      <Card title={words.blocks}>
        <BlockList site={site} mayWrite={mayWrite} onOverlay={onOverlay} />
      </Card>
    </>
  )
}
