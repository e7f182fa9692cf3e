/** What is at the side of larger screens: all places, the groups, and the person. */
import { useDidUpdate } from '@mantine/hooks'
import { Dialog } from '../parts/Dialog.js'
import { texts } from '../texts/texts.js'
import { useGroupGuid } from './current-group.js'
import styles from './PhoneMenu.module.css'
import { SideContent } from './SideContent.js'

export function PhoneMenu({ onClose }: { readonly onClose: () => void }) {
  const group = useGroupGuid()
  useDidUpdate(onClose, [group])
  return (
    <Dialog onClose={onClose} title={texts.shell.menu} classNames={{ body: styles.body }}>
      <SideContent onGo={onClose} />
    </Dialog>
  )
}
