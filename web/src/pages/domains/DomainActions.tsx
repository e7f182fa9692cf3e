import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis, Link2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import type { BrandedDomain } from '../../api/types.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import icon from '../../parts/IconButton.module.css'
import { showError } from '../../parts/toasts.js'
import { useGroupGuid, useIsAdmin } from '../../shell/current-group.js'
import { domainTexts as words } from '../../texts/domains.js'
import { texts } from '../../texts/texts.js'
import { useRefresh } from './queries.js'

/** What is done to a domain as a whole; ends at the list. */
export function DomainActions({ domain: { domain, organization_guid } }: { readonly domain: BrandedDomain }) {
  const group = useGroupGuid()
  const isAdmin = useIsAdmin()
  const navigate = useNavigate()
  const [isRemoving, setIsRemoving] = useState(false)
  const refresh = useRefresh(organization_guid)
  const remove = useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid, domain } }
      return ask(api.DELETE('/v4/organizations/{organization_guid}/domains/{domain}', { params }))
    },
    onSuccess: async () => {
      setIsRemoving(false)
      await navigate({ to: '/$group/domains', params: { group } })
      await refresh()
    },
    onError: showError,
  })
  return (
    <>
      <Menu>
        <Menu.Target>
          <button type="button" className={icon.button} aria-label={words.actions(domain)}>
            <Ellipsis size={18} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Link2 size={16} />}
            renderRoot={(props) => <Link {...props} to="/$group/links" params={{ group }} search={{ domain }} />}
          >
            {words.showLinks}
          </Menu.Item>
          {isAdmin && (
            <>
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<Trash2 size={16} />} onClick={() => setIsRemoving(true)}>
                {texts.common.remove}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {isRemoving && (
        <ConfirmDialog
          title={words.removeTitle(domain)}
          action={texts.common.remove}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsRemoving(false)}
        >
          {words.removeHint}
        </ConfirmDialog>
      )}
    </>
  )
}
