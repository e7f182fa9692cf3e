import { Menu, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { BookOpen, Download, Languages, LogOut, UserRound } from 'lucide-react'
import { useRef } from 'react'
import { currentSession } from '../api/client.js'
import { userQuery } from '../api/queries.js'
import { LetterMark } from '../parts/SiteMark.js'
import { chooseLanguage, type Language, languages, preferredLanguage, texts } from '../texts/texts.js'
import { useInstall } from './install.js'
import styles from './PersonMenu.module.css'

export function PersonMenu() {
  const { data: user } = useQuery(userQuery)
  const install = useInstall()
  const form = useRef<HTMLFormElement>(null)
  const signOut = async () => {
    const field = form.current?.elements.namedItem('csrf')
    if (field instanceof HTMLInputElement) field.value = (await currentSession())?.csrf ?? ''
    form.current?.submit()
  }
  return (
    <>
      <Menu position="top-start" width={248}>
        <Menu.Target>
          <UnstyledButton className={styles.person} aria-label={user ? undefined : texts.shell.account}>
            <LetterMark name={user?.name || user?.login || ' '} isRound />
            <span className={styles.name}>{user?.name || user?.login}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href="/app/account" leftSection={<UserRound size={16} />}>
            {texts.shell.account}
          </Menu.Item>
          <Menu.Item component="a" href="/docs" leftSection={<BookOpen size={16} />}>
            {texts.shell.developers}
          </Menu.Item>
          {install && (
            <Menu.Item leftSection={<Download size={16} />} onClick={install}>
              {texts.shell.install}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Label>{texts.shell.language}</Menu.Label>
          {(Object.entries(languages) as [Language, string][]).map(([language, name]) => (
            <Menu.Item
              key={language}
              lang={language}
              leftSection={<Languages size={16} />}
              aria-current={language === preferredLanguage()}
              onClick={() => chooseLanguage(language)}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<LogOut size={16} />} onClick={() => void signOut()}>
            {texts.session.signOut}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <form ref={form} method="post" action="/account/sign-out" hidden>
        <input type="hidden" name="csrf" />
      </form>
    </>
  )
}
