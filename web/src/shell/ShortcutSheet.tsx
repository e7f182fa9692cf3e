import { Kbd, Modal } from '@mantine/core'
import { texts } from '../texts/texts.js'
import styles from './ShortcutSheet.module.css'
import { activeShortcuts } from './shortcuts.js'

/** Lists the shortcuts that work on this page. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={texts.shell.help}>
      <dl className={styles.list}>
        {activeShortcuts().map(({ keys, label }) => (
          <div key={keys + label} className={styles.row}>
            <dt>{label}</dt>
            <dd>
              {keys.split(/[ +]/).map((key) => (
                <Kbd key={key}>{key === 'mod' ? texts.common.ctrl : key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
