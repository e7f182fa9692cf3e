/** Dragging a row of a list by its handle, with the mouse, a finger or a pen. The keyboard has its own way (BlockList.tsx). */
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { dropPlace, type Place, type Row } from './order.js'

/** Rows are found by `data-block`, with `data-type` and `data-container`; the head of a container by `data-head`. */
function rowsIn(list: HTMLElement): readonly Row[] {
  return [...list.querySelectorAll<HTMLElement>('[data-block]')].map((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    const { block: id = '', type = '', container } = element.dataset
    const head = element.querySelector('[data-head]')?.getBoundingClientRect().bottom ?? bottom
    return { id, type, container, top, bottom, head }
  })
}

export interface Dragging {
  readonly id: string
  readonly to: Place
}

/** So near to an edge of the window the page scrolls, by so many pixels a frame. */
const edge = 70
const speed = 12

export function useDrag(list: RefObject<HTMLElement | null>, onDrop: (id: string, to: Place) => void) {
  const [dragging, setDragging] = useState<Dragging>()
  const latest = useRef({ onDrop, y: 0 })
  latest.current.onDrop = onDrop
  const id = dragging?.id
  useEffect(() => {
    const element = list.current
    if (id === undefined || !element) return undefined
    let to: Place | undefined
    const place = () => {
      to = dropPlace(rowsIn(element), id, latest.current.y)
      setDragging((now) => (now && to && !isSame(now.to, to) ? { id, to } : now))
    }
    const move = (event: globalThis.PointerEvent) => {
      latest.current.y = event.clientY
      place()
    }
    const end = () => setDragging(undefined)
    const drop = (event: globalThis.PointerEvent) => {
      move(event)
      end()
      if (to) latest.current.onDrop(id, to)
    }
    const cancel = (event: KeyboardEvent) => {
      if (event.key === 'Escape') end()
    }
    let frame = requestAnimationFrame(function scroll() {
      const { y } = latest.current
      const step = y < edge ? -speed : y > innerHeight - edge ? speed : 0
      if (step !== 0) {
        window.scrollBy(0, step)
        place()
      }
      frame = requestAnimationFrame(scroll)
    })
    window.addEventListener('pointermove', move)
    window.addEventListener('pointerup', drop)
    window.addEventListener('pointercancel', end)
    window.addEventListener('keydown', cancel)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('pointermove', move)
      window.removeEventListener('pointerup', drop)
      window.removeEventListener('pointercancel', end)
      window.removeEventListener('keydown', cancel)
    }
  }, [id, list])
  /** For the handle of a row; its style has `touch-action: none`. */
  const start = (block: string, from: Place) => (event: PointerEvent) => {
    if (event.button !== 0) return
    // Else a text would be selected meanwhile. The handle gets the focus for the arrow keys.
    event.preventDefault()
    ;(event.currentTarget as HTMLElement).focus()
    latest.current.y = event.clientY
    setDragging({ id: block, to: from })
  }
  return { dragging, start }
}

function isSame(one: Place, other: Place): boolean {
  return one.container === other.container && one.index === other.index
}
