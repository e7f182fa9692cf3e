/** What can be done with the link of a row, by its buttons and by keys. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ShortLink } from '../../api/types.js'
import { copyText } from '../../parts/copy-text.js'
import { showDone } from '../../parts/toasts.js'
import { openCreate } from '../../shell/create-link.js'
import { texts } from '../../texts/texts.js'
import { sharedUrl } from '../create/queries.js'
import { pathOf, useArchiveLink } from '../link/queries.js'

export type RowAction = 'menu' | 'copy' | 'code' | 'edit' | 'archive' | 'duplicate' | 'statistics'

/** A dialog about one link. */
export interface OpenedRow {
  readonly dialog: 'menu' | 'edit' | 'code'
  readonly link: ShortLink
}

export function useRowActions(group: string) {
  const navigate = useNavigate()
  const archive = useArchiveLink(group)
  const [opened, setOpened] = useState<OpenedRow>()
  const copy = async (link: ShortLink) => {
    const isCopied = await copyText(sharedUrl(link))
    showDone(isCopied ? texts.common.copied : texts.common.copyFailed)
  }
  const act = (action: RowAction, link: ShortLink) => {
    if (action === 'copy') void copy(link)
    else if (action === 'archive') archive.toggle(link)
    else if (action === 'duplicate') openCreate({ like: link })
    else if (action === 'statistics')
      void navigate({ to: '/$group/links/$domain/$hash', params: { group, ...pathOf(link.id) } })
    else setOpened({ dialog: action, link })
  }
  return { act, opened, close: () => setOpened(undefined) }
}
