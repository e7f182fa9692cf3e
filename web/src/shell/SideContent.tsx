import { Link } from '@tanstack/react-router'
import { texts } from '../texts/texts.js'
import { useGroupGuid } from './current-group.js'
import { GroupSwitcher } from './GroupSwitcher.js'
import { PersonMenu } from './PersonMenu.js'
import { usePlaces } from './places.js'
import styles from './Shell.module.css'
import { UsageBar } from './UsageBar.js'

/** The group, the places, the usage of the month and the person. `onGo`: when a place was chosen. */
export function SideContent({ onGo }: { readonly onGo?: () => void }) {
  const group = useGroupGuid()
  return (
    <>
      <GroupSwitcher />
      {/* On phones the bar at the bottom is the navigation. */}
      <nav aria-label={onGo ? texts.shell.menu : texts.shell.navigation} className={styles.places}>
        {usePlaces().map(({ to, label, Icon, exact }) => (
          <Link
            key={to}
            to={to}
            params={{ group }}
            activeOptions={{ exact }}
            className={styles.place}
            activeProps={{ 'aria-current': 'page' }}
            onClick={onGo}
          >
            <Icon size={18} aria-hidden="true" />
            {label}
          </Link>
        ))}
      </nav>
      <div className={styles.foot}>
        <UsageBar />
        <PersonMenu />
      </div>
    </>
  )
}
