import { ChartLine, Globe, House, Link2, type LucideIcon, Megaphone, PanelTop, QrCode, Settings } from 'lucide-react'
import { texts } from '../texts/texts.js'
import { useSeesAll } from './current-group.js'

interface Place {
  readonly to:
    | '/$group'
    | '/$group/links'
    | '/$group/analytics'
    | '/$group/qr-codes'
    | '/$group/sites'
    | '/$group/campaigns'
    | '/$group/domains'
    | '/$group/settings'
  readonly label: string
  readonly Icon: LucideIcon
  /** After `g`. */
  readonly key: string
  readonly exact?: boolean
  readonly onPhone?: boolean
  /** For administrators and auditors. */
  readonly forAdmins?: boolean
}

/** The places of the navigation that the person may open, in order. */
export function usePlaces(): readonly Place[] {
  const { shell } = texts
  const seesAll = useSeesAll()
  const all: readonly Place[] = [
    { to: '/$group', label: shell.home, Icon: House, key: 'h', exact: true, onPhone: true },
    { to: '/$group/links', label: shell.links, Icon: Link2, key: 'l', onPhone: true },
    { to: '/$group/analytics', label: texts.analytics.title, Icon: ChartLine, key: 'a', onPhone: true },
    { to: '/$group/qr-codes', label: shell.qrCodes, Icon: QrCode, key: 'q', onPhone: true },
    { to: '/$group/sites', label: shell.sites, Icon: PanelTop, key: 'p', onPhone: true },
    { to: '/$group/campaigns', label: shell.campaigns, Icon: Megaphone, key: 'k' },
    { to: '/$group/domains', label: shell.domains, Icon: Globe, key: 'd', forAdmins: true },
    { to: '/$group/settings', label: shell.settings, Icon: Settings, key: 's' },
  ]
  return all.filter(({ forAdmins }) => seesAll || !forAdmins)
}
