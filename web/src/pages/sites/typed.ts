/**
 * What is typed on the page of a site and not in its draft yet. The preview draws it, Publish saves it first, and leaving
 * the page asks.
 */
import { useEffect, useRef } from 'react'
import { type Site, withAvatar } from './model.js'
import type { Overlay } from './queries.js'
import type { SiteTab } from './search.js'

/** The forms, with the tab that each one is on. */
export const tabsOfForms = { profile: 'content', look: 'look', block: 'content' } as const satisfies Record<
  string,
  SiteTab
>
export type SiteForm = keyof typeof tabsOfForms

/** Guid of an image, or empty. */
type Drawn = Overlay & { readonly avatar?: string }

interface Typed {
  readonly drawn: Drawn | undefined
  /** Whether it worked. There is none while nothing differs from the draft. */
  readonly save: (() => Promise<boolean>) | undefined
}

export type TypedForms = Readonly<Partial<Record<SiteForm, Typed>>>
export type OnTyped = (form: SiteForm, typed?: Typed) => void

interface Shown {
  /** The same object until something changes. */
  readonly drawn: Drawn | undefined
  readonly isChanged: boolean
  readonly save: () => Promise<boolean>
}

/** Tells the page what its form has, until the form is gone. */
export function useTyped(form: SiteForm, onTyped: OnTyped, { drawn, isChanged, save }: Shown): void {
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    onTyped(form, { drawn, save: isChanged ? () => latest.current() : undefined })
    return () => onTyped(form)
  }, [form, onTyped, drawn, isChanged])
}

export function changedForms(typed: TypedForms): readonly SiteForm[] {
  return (Object.keys(tabsOfForms) as SiteForm[]).filter((form) => typed[form]?.save)
}

/** All forms together. The picture belongs to the profile, whatever the look began with. */
export function overlayOf({ appearance: saved }: Site, { profile, look, block }: TypedForms): Overlay {
  const { avatar, ...overlay }: Drawn = { ...profile?.drawn, ...look?.drawn, ...block?.drawn }
  if (avatar === undefined && !overlay.appearance) return overlay
  return {
    ...overlay,
    appearance: withAvatar(overlay.appearance ?? saved, avatar ?? saved.avatar_image_guid ?? ''),
  }
}
