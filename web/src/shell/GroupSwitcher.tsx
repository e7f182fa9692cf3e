import { Menu, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown } from 'lucide-react'
import { groupsQuery, organizationsQuery } from '../api/queries.js'
import { texts } from '../texts/texts.js'
import { useGroup } from './current-group.js'
import styles from './GroupSwitcher.module.css'

export function GroupSwitcher() {
  const group = useGroup()
  const { data: groups } = useQuery(groupsQuery)
  const { data: organizations = [] } = useQuery(organizationsQuery)
  const navigate = useNavigate()
  const organizationOf = (guid: string) => organizations.find((organization) => organization.guid === guid)?.name ?? ''
  // One that is not among them was in an old or mistyped address: the others are offered.
  if (!groups?.length) return <div className={styles.switcher} aria-hidden="true" />
  return (
    <Menu position="bottom-start" width={248}>
      <Menu.Target>
        <UnstyledButton className={styles.switcher} title={texts.shell.switchGroup}>
          <span className={styles.mark} aria-hidden="true">
            {group?.name.slice(0, 1).toUpperCase()}
          </span>
          <span className={styles.names}>
            <span className={styles.group}>{group?.name ?? texts.shell.chooseGroup}</span>
            {group && <span className={styles.organization}>{organizationOf(group.organization_guid)}</span>}
          </span>
          <ChevronsUpDown size={16} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {organizations.map((organization) => (
          <div key={organization.guid}>
            <Menu.Label>{organization.name}</Menu.Label>
            {groups
              .filter(({ organization_guid }) => organization_guid === organization.guid)
              .map(({ guid, name }) => (
                <Menu.Item
                  key={guid}
                  rightSection={guid === group?.guid ? <Check size={16} /> : undefined}
                  onClick={() => void navigate({ to: '/$group', params: { group: guid } })}
                >
                  {name}
                </Menu.Item>
              ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
