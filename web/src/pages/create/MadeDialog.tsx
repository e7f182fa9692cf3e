/** The moment after: the new link, ready to be handed on. */
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ArrowRight, Check, Plus } from 'lucide-react'
import { Dialog } from '../../parts/Dialog.js'
import { type MadeLink, openCreate } from '../../shell/create-link.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { pathOf } from '../link/queries.js'
import { ShareLink } from './ShareLink.js'
import styles from './ShareLink.module.css'

interface MadeDialogProps {
  readonly made: MadeLink
  readonly onClose: () => void
}

export function MadeDialog({ made: { link, isCopied }, onClose }: MadeDialogProps) {
  const group = useGroupGuid()
  return (
    <Dialog
      onClose={onClose}
      size={620}
      // The form was here a moment ago: the page behind it stays dim.
      overlayProps={{ transitionProps: { duration: 0 } }}
      title={
        <span className={styles.ready}>
          <span className={styles.tick}>
            <Check size={16} strokeWidth={3} aria-hidden="true" />
          </span>
          {texts.share.ready}
        </span>
      }
    >
      <ShareLink group={group} link={link} isCopied={isCopied} />
      <div className={styles.end}>
        <Button variant="default" leftSection={<Plus size={16} />} onClick={() => openCreate()}>
          {texts.share.another}
        </Button>
        <Button
          variant="default"
          rightSection={<ArrowRight size={16} />}
          onClick={onClose}
          renderRoot={(props) => (
            <Link to="/$group/links/$domain/$hash" params={{ group, ...pathOf(link.id) }} {...props} />
          )}
        >
          {texts.share.openPage}
        </Button>
      </div>
    </Dialog>
  )
}
