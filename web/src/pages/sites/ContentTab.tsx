/** What is on the page: who it is about, and its blocks. */
import { Card } from '../../parts/Card.js'
import { siteTexts as words } from '../../texts/sites.js'
import { BlockList } from './BlockList.js'
import type { Site } from './model.js'
import { ProfileCard } from './ProfileCard.js'
import type { OnTyped, TypedForms } from './typed.js'

interface ContentTabProps {
  readonly site: Site
  readonly mayWrite: boolean
  readonly typed: TypedForms
  readonly onTyped: OnTyped
}

export function ContentTab({ site, mayWrite, typed, onTyped }: ContentTabProps) {
  return (
    <>
      <ProfileCard site={site} mayWrite={mayWrite} onTyped={onTyped} />
      <Card title={words.blocks}>
        <BlockList site={site} mayWrite={mayWrite} isFormChanged={typed.block?.save !== undefined} onTyped={onTyped} />
      </Card>
    </>
  )
}
