/** How the page looks. The preview shows every choice at once; the draft changes on saving. */
import { Checkbox, Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { isOther } from '../../api/is-other.js'
import { type Edit, ownFields, saveMerged } from '../../api/save-merged.js'
import { Card } from '../../parts/Card.js'
import { Form } from '../../parts/Form.js'
import { Conflicts, useMergedSave } from '../../parts/merged-save.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import { ColorFields } from './ColorFields.js'
import { ImageField } from './ImageField.js'
import { Miniature, someLinks } from './Miniature.js'
import type { Appearance, Site } from './model.js'
import { readSite, refreshSites } from './queries.js'
import { SaveBar } from './SaveBar.js'
import styles from './sites.module.css'
import { isTheme, themes, withTheme } from './themes.js'
import { type OnTyped, useTyped } from './typed.js'

const fields = ownFields<Appearance>()
type Header = NonNullable<Appearance['header_appearance']>

/** What is chosen of a list, with its values. Their names are in the texts. */
const choices = {
  font: ['Inter', 'System', 'Rounded', 'Humanist', 'Geometric', 'Serif', 'Slab', 'Mono'],
  layout: ['default', 'compact', 'wide'],
  default_button_shape: ['rectangle', 'rounded', 'pill'],
  default_button_shadow: ['none', 'soft', 'hard'],
  default_social_icon_layout: ['icons', 'buttons'],
  default_social_icon_position: ['top', 'bottom'],
  background_image_alignment: ['stretch', 'fit', 'repeat'],
} as const satisfies { readonly [Name in keyof Appearance]?: readonly Appearance[Name][] }

const banners = ['none', 'hero', 'rounded_up', 'gradient', 'square', 'frame'] as const

const headerChoices = {
  profile_image_size: ['xs', 'sm', 'med', 'lg', 'xl'],
  profile_image_shape: ['round', 'rounded_square', 'square'],
  profile_image_border_size: ['none', 'xs', 'sm', 'med', 'lg'],
  profile_image_location: ['left', 'center', 'right'],
  text_location: ['top', 'contain', 'bottom'],
  title_size: ['xs', 'sm', 'med', 'lg'],
  title_weight: ['regular', 'semi_bold', 'bold'],
  title_alignment: ['start', 'center'],
  description_size: ['xs', 'sm', 'med', 'lg'],
  description_alignment: ['start', 'center'],
} as const satisfies { readonly [Name in keyof Header]?: readonly Header[Name][] }

interface LookTabProps {
  readonly site: Site
  readonly mayWrite: boolean
  readonly onTyped: OnTyped
}

export function LookTab({ site, mayWrite, onTyped }: LookTabProps) {
  const client = useQueryClient()
  const { group_guid, site_guid, appearance: saved } = site
  const [edit, keep] = useState<Edit<Appearance>>({ before: saved, draft: saved })
  const { before, draft } = edit
  const isChanged = isOther(before, draft)
  if (!isChanged && isOther(before, saved)) keep({ before: saved, draft: saved })
  const save = useMutation({
    mutationFn: (sent: Edit<Appearance>) =>
      saveMerged(sent, {
        ...fields,
        read: async () => {
          const [{ appearance }, etag] = await readSite(site_guid)
          return [appearance, etag]
        },
        send: (_, headers, body) =>
          ask(api.PUT('/v4/sites/{site_id}/appearance', { params: { path: { site_id: site_guid } }, body, headers })),
      }),
    onSuccess: async () => {
      await refreshSites(client, group_guid)
      showDone(texts.common.saved)
    },
  })
  const merged = useMergedSave({
    fields,
    edit,
    keep,
    mutation: save,
    onSaved: () => keep((now) => ({ before: draft, draft: now.draft })),
  })
  const drawn = useMemo(() => (isChanged ? { appearance: draft } : undefined), [isChanged, draft])
  useTyped('look', onTyped, { drawn, isChanged, save: merged.save })
  const change = (part: Partial<Appearance>) => keep((now) => ({ ...now, draft: { ...now.draft, ...part } }))
  const header = draft.header_appearance ?? {}
  const changeHeader = (part: Partial<Header>) => change({ header_appearance: { ...header, ...part } })
  const select = (name: keyof typeof choices) => (
    <Select
      key={name}
      label={words.look[name]}
      data={choices[name].map((value) => ({ value, label: words.choices[value] ?? value }))}
      value={draft[name] ?? choices[name][0]}
      onChange={(value) => change({ [name]: value })}
      allowDeselect={false}
    />
  )
  return (
    <Form onSubmit={merged.save} className={page.wide}>
      <fieldset className={styles.plain} disabled={!mayWrite}>
        <Card title={words.theme}>
          <div className={`${styles.templates} ${styles.themes}`}>
            {themes.map((theme) => (
              <button
                key={theme}
                type="button"
                className={styles.template}
                aria-pressed={isTheme(draft, theme)}
                onClick={() => change(withTheme(draft, theme))}
              >
                <Miniature appearance={withTheme(draft, theme)} blocks={site.blocks ?? someLinks(3)} />
                <span className={styles.templateName}>{words.themes[theme]}</span>
              </button>
            ))}
          </div>
        </Card>
        <Card title={words.colors}>
          <div className={page.form}>
            <ColorFields appearance={draft} onChange={change} />
            {draft.background_preference === 'image' && (
              <div className={styles.pictured}>
                <ImageField
                  group={group_guid}
                  label={words.backgroundImage}
                  value={draft.background_image_guid ?? ''}
                  onChange={(image) => keep((now) => ({ ...now, draft: withBackground(now.draft, image) }))}
                />
                {select('background_image_alignment')}
              </div>
            )}
          </div>
        </Card>
        <Card title={words.lettersAndButtons}>
          <div className={`${page.pair} ${styles.selects}`}>
            {(
              [
                'font',
                'layout',
                'default_button_shape',
                'default_button_shadow',
                'default_social_icon_layout',
                'default_social_icon_position',
              ] as const
            ).map(select)}
          </div>
        </Card>
        <Card title={words.header}>
          <div className={page.form}>
            <fieldset className={styles.templates} aria-label={words.banner}>
              {banners.map((banner_type) => (
                <button
                  key={banner_type}
                  type="button"
                  className={styles.template}
                  aria-pressed={(header.banner_type ?? 'none') === banner_type}
                  onClick={() => changeHeader({ banner_type })}
                >
                  <Miniature
                    appearance={{ ...draft, header_appearance: { ...header, banner_type } }}
                    blocks={someLinks(2)}
                    className={styles.top}
                  />
                  <span className={styles.templateName}>{words.banners[banner_type]}</span>
                </button>
              ))}
            </fieldset>
            {header.banner_type !== undefined && header.banner_type !== 'none' && (
              <ImageField
                isWide
                group={group_guid}
                label={words.bannerImage}
                value={guidIn(header.banner_image_url)}
                onChange={(image) => keep((now) => ({ ...now, draft: withBanner(now.draft, image) }))}
              />
            )}
            <div className={`${page.pair} ${styles.selects}`}>
              {(Object.keys(headerChoices) as (keyof typeof headerChoices)[]).map((name) => (
                <Select
                  key={name}
                  label={words.headerLook[name]}
                  data={headerChoices[name].map((value) => ({ value, label: words.choices[value] ?? value }))}
                  value={header[name] ?? headerChoices[name][0]}
                  onChange={(value) => changeHeader({ [name]: value })}
                  allowDeselect={false}
                />
              ))}
            </div>
            <Checkbox
              label={words.overflow}
              checked={header.profile_image_overflow ?? false}
              onChange={({ currentTarget }) => changeHeader({ profile_image_overflow: currentTarget.checked })}
            />
          </div>
        </Card>
        <Card title={words.searchAndName}>
          <div className={page.form}>
            <Checkbox
              label={words.noIndex}
              checked={draft.no_index ?? false}
              onChange={({ currentTarget }) => change({ no_index: currentTarget.checked })}
            />
            <Checkbox
              label={words.hideLogo}
              checked={draft.hide_logo ?? false}
              onChange={({ currentTarget }) => change({ hide_logo: currentTarget.checked })}
            />
          </div>
        </Card>
      </fieldset>
      {merged.conflicts && (
        <Conflicts
          {...merged.conflicts}
          labelOf={(name) => words.look[name as keyof typeof choices] ?? words.otherLook(String(name))}
          textOf={(name, state) => textOf(state[name])}
        />
      )}
      <div className={isChanged ? styles.sticky : undefined}>
        <SaveBar
          isShown={isChanged}
          error={merged.error}
          isBusy={save.isPending}
          onDiscard={() => keep({ before: saved, draft: saved })}
        />
      </div>
    </Form>
  )
}

function withBackground({ background_image_guid: _, background_image_url: __, ...others }: Appearance, image: string) {
  return { ...others, ...(image && { background_image_guid: image }) }
}

function withBanner(appearance: Appearance, image: string): Appearance {
  const { banner_image_url: _, ...others } = appearance.header_appearance ?? {}
  return { ...appearance, header_appearance: { ...others, ...(image && { banner_image_url: image }) } }
}

/** The API answers a URL, and takes a guid. */
function guidIn(url = ''): string {
  return /\/images\/([^/]+)\/file$/.exec(url)?.[1] ?? url
}

function textOf(value: Appearance[keyof Appearance]): string | boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'object') return Object.values(value).join(', ')
  return words.choices[String(value)] ?? String(value ?? '')
}
