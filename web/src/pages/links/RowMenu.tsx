/** What can be done with the link of a row, where there is no room for buttons in it. */
import { Button } from '@mantine/core'
import { Archive, ArchiveRestore, ChartLine, Copy, CopyPlus, Pencil, QrCode, Share2 } from 'lucide-react'
import type { ShortLink } from '../../api/types.js'
import { Dialog } from '../../parts/Dialog.js'
import { useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { sharedUrl } from '../create/queries.js'
import { shownAddress } from '../link/queries.js'
import styles from './RowMenu.module.css'
import type { RowAction } from './row-actions.js'

interface RowMenuProps {
  readonly link: ShortLink
  readonly onAct: (action: RowAction) => void
  readonly onClose: () => void
}

export function RowMenu({ link, onAct, onClose }: RowMenuProps) {
  const mayWrite = useMayWrite()
  const words = texts.links.actions
  const share = () => {
    onClose()
    // Rejected when the person changes their mind.
    void navigator.share({ url: sharedUrl(link), ...(link.title && { title: link.title }) }).catch(() => undefined)
  }
  const item = (Icon: typeof Copy, label: string, onClick: () => void) => (
    <Button
      variant="subtle"
      color="gray"
      justify="flex-start"
      leftSection={<Icon size={18} aria-hidden="true" />}
      onClick={onClick}
    >
      {label}
    </Button>
  )
  return (
    <Dialog title={shownAddress(link)} size="sm" onClose={onClose}>
      <p className={styles.destination} dir="auto">
        {link.title && <strong>{link.title}</strong>}
        <span>{link.long_url}</span>
      </p>
      <div className={styles.items}>
        {item(Copy, texts.common.copy, () => onAct('copy'))}
        {'share' in navigator && item(Share2, texts.share.share, share)}
        {item(ChartLine, words.statistics, () => onAct('statistics'))}
        {mayWrite && (
          <>
            {item(QrCode, words.code, () => onAct('code'))}
            {item(Pencil, texts.common.edit, () => onAct('edit'))}
            {item(CopyPlus, words.duplicate, () => onAct('duplicate'))}
            {item(
              link.archived ? ArchiveRestore : Archive,
              link.archived ? texts.links.restore : texts.links.archive,
              () => onAct('archive'),
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}
