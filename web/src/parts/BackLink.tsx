import { createLink } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ComponentProps } from 'react'
import page from './page.module.css'

/** Above the title of a page, to the list that it is one of. */
export const BackLink = createLink(function BackLink({ children, ...given }: ComponentProps<'a'>) {
  return (
    <a {...given} className={page.back}>
      <ChevronLeft size={16} aria-hidden="true" />
      {children}
    </a>
  )
})
