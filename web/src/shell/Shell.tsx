/** The frame around every page: navigation, the top bar, and what opens over them. */
import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { CircleHelp, Menu, Plus, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { hasDraft } from '../parts/kept-draft.js'
import { lazyPart } from '../parts/lazy-part.js'
import { texts } from '../texts/texts.js'
import { closeCreate, createDraft, openCreate, useCreateRequest } from './create-link.js'
import { useGroupGuid, useMayWrite } from './current-group.js'
import { Logo } from './Logo.js'
import { urlsIn } from './pasted-urls.js'
import { usePlaces } from './places.js'
import styles from './Shell.module.css'
import { SideContent } from './SideContent.js'
import { useShortcuts } from './shortcuts.js'
import { ThemeMenu } from './ThemeMenu.js'

const CommandPalette = lazyPart(() => import('./CommandPalette.js'), 'CommandPalette')
const ShortcutSheet = lazyPart(() => import('./ShortcutSheet.js'), 'ShortcutSheet')
const PhoneMenu = lazyPart(() => import('./PhoneMenu.js'), 'PhoneMenu')
const ManyDialog = lazyPart(() => import('../pages/create/ManyDialog.js'), 'ManyDialog')
const CreateDialog = lazyPart(() => import('../pages/create/CreateDialog.js'), 'CreateDialog')

export function Shell() {
  const group = useGroupGuid()
  const mayWrite = useMayWrite()
  const places = usePlaces()
  const navigate = useNavigate()
  const asked = useCreateRequest()
  const createRequest = mayWrite ? asked : undefined
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  const [isMenuOpen, setIsMenuOpen] = useState(false)

  useShortcuts([
    { keys: 'mod+k', label: texts.shell.shortcuts.palette, run: () => setIsPaletteOpen(true), everywhere: true },
    { keys: '?', label: texts.shell.shortcuts.help, run: () => setIsHelpOpen(true) },
    ...(mayWrite ? [{ keys: 'c', label: texts.shell.shortcuts.create, run: () => openCreate() }] : []),
    ...places.map(({ key, label, to }) => ({
      keys: `g ${key}`,
      label: `${texts.shell.shortcuts.go} ${label}`,
      run: () => void navigate({ to, params: { group } }),
    })),
  ])
  usePastedUrls(mayWrite)
  useUnfinishedForm(mayWrite, group)

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {texts.shell.skip}
      </a>
      <aside className={styles.side}>
        <Link to="/" className={styles.brand}>
          <Logo />
          <span>shortlink</span>
        </Link>
        <SideContent />
      </aside>
      <div className={styles.column}>
        <header className={styles.top}>
          <Link to="/" className={styles.topBrand} aria-label={texts.shell.home}>
            <Logo />
          </Link>
          <button type="button" className={styles.search} onClick={() => setIsPaletteOpen(true)}>
            <Search size={16} aria-hidden="true" />
            <span>{texts.shell.commands}</span>
            <kbd>{isMac ? '⌘' : texts.common.ctrl} K</kbd>
          </button>
          <Tooltip label={texts.shell.help}>
            <ActionIcon
              className={styles.wide}
              size="lg"
              aria-label={texts.shell.help}
              onClick={() => setIsHelpOpen(true)}
            >
              <CircleHelp size={18} />
            </ActionIcon>
          </Tooltip>
          <ThemeMenu />
          <ActionIcon
            className={styles.narrow}
            size="lg"
            aria-label={texts.shell.menu}
            onClick={() => setIsMenuOpen(true)}
          >
            <Menu size={18} />
          </ActionIcon>
          {mayWrite && (
            <Button
              className={styles.wide}
              leftSection={<Plus size={16} />}
              onClick={() => openCreate()}
              aria-keyshortcuts="c"
            >
              {texts.shell.create}
            </Button>
          )}
        </header>
        <main id="content" tabIndex={-1} className={styles.content}>
          <Outlet />
        </main>
      </div>
      <nav aria-label={texts.shell.navigation} className={styles.bottom}>
        {places
          .filter(({ onPhone }) => onPhone)
          .map(({ to, label, Icon, exact }) => (
            <Link
              key={to}
              to={to}
              params={{ group }}
              activeOptions={{ exact }}
              className={styles.bottomPlace}
              activeProps={{ 'aria-current': 'page' }}
            >
              <Icon size={20} aria-hidden="true" />
              {label}
            </Link>
          ))}
        {mayWrite && (
          <button
            type="button"
            className={styles.round}
            aria-label={texts.shell.createLink}
            onClick={() => openCreate()}
          >
            <Plus size={24} aria-hidden="true" />
          </button>
        )}
      </nav>
      {isPaletteOpen && <CommandPalette onClose={() => setIsPaletteOpen(false)} />}
      {isMenuOpen && <PhoneMenu onClose={() => setIsMenuOpen(false)} />}
      {isHelpOpen && <ShortcutSheet onClose={() => setIsHelpOpen(false)} />}
      {createRequest?.urls && <ManyDialog urls={createRequest.urls} onClose={closeCreate} />}
      {createRequest && !createRequest.urls && <CreateDialog request={createRequest} onClose={closeCreate} />}
    </div>
  )
}

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** A URL pasted anywhere outside a field begins a new link; several also in the field of the destination. */
function usePastedUrls(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const onPaste = (event: ClipboardEvent) => {
      const { target } = event
      const field =
        target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea)$/i.test(target.tagName))
          ? target
          : undefined
      const urls = urlsIn(event.clipboardData?.getData('text/plain') ?? '')
      const [longUrl] = urls
      if (longUrl === undefined || (field && (urls.length === 1 || field.dataset.destination === undefined))) return
      event.preventDefault()
      openCreate(urls.length === 1 ? { longUrl } : { urls })
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [isOn])
}

/** A form that a reload interrupted is there again. */
function useUnfinishedForm(isOn: boolean, group: string): void {
  useEffect(() => {
    if (isOn && hasDraft(createDraft(group))) openCreate()
  }, [isOn, group])
}
