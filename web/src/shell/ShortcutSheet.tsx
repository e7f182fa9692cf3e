import { Kbd } from '@mantine/core'
import { Dialog } from '../parts/Dialog.js'
import { texts } from '../texts/texts.js'
import styles from './ShortcutSheet.module.css'
import { activeShortcuts } from './shortcuts.js'

/** Lists the shortcuts that work on this page. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={texts.shell.help}>
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
    </Dialog>
  )
}
