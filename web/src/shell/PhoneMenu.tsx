/** What is at the side of larger screens: all places, the groups, and the person. */
import { Drawer } from '@mantine/core'
import '@mantine/core/styles/Drawer.layer.css'
import { useDidUpdate } from '@mantine/hooks'
import { useReturnFocus } from '../parts/return-focus.js'
import { texts } from '../texts/texts.js'
import { useGroupGuid } from './current-group.js'
import styles from './PhoneMenu.module.css'
import { SideContent } from './SideContent.js'

export function PhoneMenu({ onClose }: { readonly onClose: () => void }) {
  const group = useGroupGuid()
  useReturnFocus()
  useDidUpdate(onClose, [group])
  return (
    <Drawer
      opened
      onClose={onClose}
      title={texts.shell.menu}
      position="right"
      size="18rem"
      closeButtonProps={{ 'aria-label': texts.common.close }}
      classNames={{ content: styles.content, body: styles.body }}
    >
      <SideContent onGo={onClose} />
    </Drawer>
  )
}
