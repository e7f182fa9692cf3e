/** One block in the list: a handle to move it, what it is, whether visitors see it, and what can be done with it. */
import { Menu } from '@mantine/core'
import { ChevronDown, Ellipsis, Eye, EyeOff, GripVertical, Pin, PinOff, Trash2 } from 'lucide-react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { imageFile } from '../../api/images.js'
import { formatMoment } from '../../parts/format.js'
import icon from '../../parts/IconButton.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import styles from './BlockList.module.css'
import { type Block, type BlockBody, isBroken, leadsTo } from './model.js'
import { shownOf } from './schedule.js'
import { icons } from './type-icons.js'

export interface RowActions {
  readonly startDrag: (block: Block) => (event: PointerEvent) => void
  readonly step: (block: Block, step: 1 | -1) => void
  readonly toggleOpen: (block: Block) => void
  /** `back`: what takes it back. */
  readonly change: (block: Block, body: BlockBody, back: BlockBody) => void
  readonly remove: (block: Block) => void
}

interface BlockRowProps {
  readonly block: Block
  readonly name: string
  readonly mayWrite: boolean
  readonly isOpen: boolean
  readonly isDragged: boolean
  /** Where the dragged block would be. */
  readonly drop: 'before' | 'after' | 'inside' | undefined
  readonly actions: RowActions
  readonly form: ReactNode
  /** The blocks of a container. */
  readonly children: ReactNode
}

export function BlockRow({ block, name, mayWrite, isOpen, isDragged, drop, actions, form, children }: BlockRowProps) {
  const { block_id, type, container_id, content, is_active, is_pinned } = block
  const Icon = icons[type]
  const toggle = (field: 'is_active' | 'is_pinned') =>
    actions.change(block, { [field]: !block[field] }, { [field]: block[field] })
  const byArrow = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined
    if (step === undefined) return
    event.preventDefault()
    actions.step(block, step)
  }
  const about = [name !== words.types[type] && words.types[type], leadsTo(block)]
  return (
    <li
      className={styles.block}
      data-block={block_id}
      data-type={type}
      data-container={container_id}
      data-dragged={isDragged || undefined}
      data-drop={drop}
      data-open={isOpen || undefined}
    >
      <div className={styles.row} data-head data-hidden={!is_active || undefined}>
        {mayWrite && (
          <button
            type="button"
            className={`${icon.button} ${styles.handle}`}
            data-handle={block_id}
            aria-label={words.move(name)}
            title={words.moveHint}
            onPointerDown={actions.startDrag(block)}
            onKeyDown={byArrow}
          >
            <GripVertical size={16} />
          </button>
        )}
        <span className={styles.picture}>
          {content.image_guid ? (
            <img src={imageFile(content.image_guid)} alt="" />
          ) : (
            <Icon size={18} aria-hidden="true" />
          )}
        </span>
        <button
          type="button"
          className={styles.title}
          aria-expanded={isOpen}
          disabled={!mayWrite}
          onClick={() => actions.toggleOpen(block)}
        >
          <span className={styles.name} dir="auto">
            {name}
          </span>
          <span className={styles.about}>{about.filter(Boolean).join(' · ')}</span>
          <Marks block={block} />
        </button>
        {mayWrite && (
          <>
            <button
              type="button"
              className={`${icon.button} ${styles.wide}`}
              aria-label={is_active ? words.hideOf(name) : words.showOf(name)}
              title={is_active ? words.hide : words.show}
              onClick={() => toggle('is_active')}
            >
              {is_active ? <Eye size={16} /> : <EyeOff size={16} />}
            </button>
            <Menu>
              <Menu.Target>
                <button type="button" className={icon.button} aria-label={words.actionsOf(name)} title={words.actions}>
                  <Ellipsis size={16} />
                </button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item leftSection={<ChevronDown size={16} />} onClick={() => actions.toggleOpen(block)}>
                  {texts.common.edit}
                </Menu.Item>
                <Menu.Item
                  leftSection={is_active ? <EyeOff size={16} /> : <Eye size={16} />}
                  onClick={() => toggle('is_active')}
                >
                  {is_active ? words.hide : words.show}
                </Menu.Item>
                <Menu.Item
                  leftSection={is_pinned ? <PinOff size={16} /> : <Pin size={16} />}
                  onClick={() => toggle('is_pinned')}
                >
                  {is_pinned ? words.unpin : words.pin}
                </Menu.Item>
                <Menu.Item leftSection={<Trash2 size={16} />} color="red" onClick={() => actions.remove(block)}>
                  {texts.common.remove}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        )}
      </div>
      {isOpen && <div className={styles.form}>{form}</div>}
      {children}
    </li>
  )
}

/** What is unusual about it. */
function Marks({ block }: { readonly block: Block }) {
  const shown = shownOf(block)
  const { shownWords } = words
  const when = {
    always: undefined,
    hidden: () => shownWords.hidden,
    from: () => 'at' in shown && shownWords.from(formatMoment(shown.at)),
    until: () => 'at' in shown && shownWords.until(formatMoment(shown.at)),
    over: () => 'at' in shown && shownWords.over(formatMoment(shown.at)),
    between: () => 'end' in shown && shownWords.between(formatMoment(shown.at), formatMoment(shown.end)),
  }[shown.state]?.()
  return (
    <span className={styles.marks}>
      {isBroken(block) && (
        <span className={styles.mark} data-bad>
          {words.broken}
        </span>
      )}
      {block.is_sample && <span className={styles.mark}>{words.sample}</span>}
      {block.is_pinned && <span className={styles.mark}>{words.pinned}</span>}
      {when && <span className={styles.mark}>{when}</span>}
    </span>
  )
}
