/** The blocks of a page in their order, which is changed by dragging, by arrow keys on a handle, or undone with Ctrl+Z. */
import { Button, Menu } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { showUndo } from '../../parts/toasts.js'
import { useShortcuts } from '../../shell/shortcuts.js'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import { BlockForm } from './BlockForm.js'
import styles from './BlockList.module.css'
import { BlockRow, type RowActions } from './BlockRow.js'
import { type Block, type BlockType, blockTypes, type Site, titleOf } from './model.js'
import { fitsInside, isContainer, moved, type Place, placeOf, stepped, treeOf } from './order.js'
import { restoreBlock, useBlockSteps } from './queries.js'
import { icons } from './type-icons.js'
import type { OnTyped } from './typed.js'
import { useDrag } from './use-drag.js'

interface BlockListProps {
  readonly site: Site
  readonly mayWrite: boolean
  /** Whether the open form has something that is not saved. */
  readonly isFormChanged: boolean
  readonly onTyped: OnTyped
}

/** The block whose form is open, or a new one. */
type Open = { readonly id: string } | { readonly type: BlockType; readonly container?: string }

export function BlockList({ site, mayWrite, isFormChanged, onTyped }: BlockListProps) {
  const { blocks = [] } = site
  const list = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<Open>()
  /** What is to be open once the changed form was given up. */
  const [next, setNext] = useState<{ readonly open: Open | undefined }>()
  const [said, say] = useState('')
  const toFocus = useRef<string>(undefined)
  const undos = useRef<(() => void)[]>([])
  const { move, change, remove, restore } = useBlockSteps(site)
  const nameOf = (block: Block) => titleOf(block) || words.types[block.type]

  // What is undone later begins with the blocks of that moment.
  const latest = useRef<(id: string, to: Place, isUndo?: boolean) => void>(() => undefined)
  const moveTo = (id: string, to: Place, isUndo = false) => {
    const from = placeOf(blocks, id)
    const after = moved(blocks, id, to)
    const block = blocks.find(({ block_id }) => block_id === id)
    if (!block || (from.container === to.container && from.index === to.index)) return
    move.mutate({ id, to, blocks })
    if (!isUndo) undos.current.push(() => latest.current(id, from, true))
    const now = placeOf(after, id)
    const container = blocks.find(({ block_id }) => block_id === now.container)
    say(words.moved(nameOf(block), now.index + 1, now.count, container && nameOf(container)))
  }
  latest.current = moveTo
  const { dragging, start } = useDrag(list, (id, to) => latest.current(id, to))
  useShortcuts(
    mayWrite
      ? [
          {
            keys: 'mod+z',
            label: texts.common.undo,
            run: () => undos.current.pop()?.(),
            when: () => undos.current.length > 0,
          },
        ]
      : [],
  )
  // A block that goes into a container or out of it is drawn anew.
  useLayoutEffect(() => {
    if (toFocus.current === undefined) return
    list.current?.querySelector<HTMLElement>(`[data-handle="${toFocus.current}"]`)?.focus()
    toFocus.current = undefined
  })

  const close = () => setOpen(undefined)
  const go = (to: Open | undefined) => (isFormChanged ? setNext({ open: to }) : setOpen(to))
  const isOpenAt = ({ block_id }: Block) => open !== undefined && 'id' in open && open.id === block_id
  const actions: RowActions = {
    startDrag: (block) => start(block.block_id, placeOf(blocks, block.block_id)),
    step: (block, step) => {
      const to = stepped(blocks, block.block_id, step)
      if (!to) return say(words.atEnd)
      toFocus.current = block.block_id
      moveTo(block.block_id, to)
    },
    toggleOpen: (block) => go(isOpenAt(block) ? undefined : { id: block.block_id }),
    change: (block, body, back) => {
      change.mutate({ id: block.block_id, body })
      undos.current.push(() => change.mutate({ id: block.block_id, body: back }))
    },
    remove: (block) => {
      if (isOpenAt(block)) close()
      remove.mutate(block.block_id, {
        onSuccess: () => {
          const undo = () => restore.mutate(() => restoreBlock(site, block))
          undos.current.push(undo)
          showUndo(words.removed(nameOf(block)), () => {
            undos.current = undos.current.filter((each) => each !== undo)
            undo()
          })
        },
      })
    },
  }
  const ofForm = { onTyped, onSaved: close, onClose: () => go(undefined) }
  const dropAt = dragging && dropMark(blocks, dragging.id, dragging.to)
  const rowOf = (block: Block, inner?: readonly Block[]) => {
    const isOpen = isOpenAt(block)
    return (
      <BlockRow
        key={block.block_id}
        block={block}
        name={nameOf(block)}
        mayWrite={mayWrite}
        isOpen={isOpen}
        isDragged={dragging?.id === block.block_id}
        drop={dropAt?.id === block.block_id ? dropAt.side : undefined}
        actions={actions}
        form={isOpen && <BlockForm site={site} block={block} {...ofForm} />}
      >
        {inner && (
          <div className={styles.inner}>
            {inner.length > 0 ? (
              <ul className={styles.list}>{inner.map((each) => rowOf(each))}</ul>
            ) : (
              <p className={styles.hint}>{words.emptyContainer}</p>
            )}
            {mayWrite && adder(block.block_id)}
          </div>
        )}
      </BlockRow>
    )
  }

  /** A menu of types, or the form of a new block in its place. */
  function adder(container?: string) {
    if (open && 'type' in open && open.container === container) {
      return (
        <div className={styles.added}>
          <h3 className={styles.addedTitle}>{words.types[open.type]}</h3>
          <BlockForm site={site} type={open.type} container={container} {...ofForm} />
        </div>
      )
    }
    const offered = blockTypes.filter((type) => container === undefined || fitsInside({ type }))
    return (
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            variant={container === undefined ? 'filled' : 'default'}
            size={container === undefined ? 'sm' : 'compact-sm'}
            leftSection={<Plus size={16} />}
          >
            {container === undefined ? words.add : words.addInside}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {offered.map((type) => {
            const Icon = icons[type]
            return (
              <Menu.Item
                key={type}
                leftSection={<Icon size={16} />}
                onClick={() => go({ type, ...(container !== undefined && { container }) })}
              >
                {words.types[type]}
              </Menu.Item>
            )
          })}
        </Menu.Dropdown>
      </Menu>
    )
  }

  return (
    <div ref={list} className={styles.blocks} data-dragging={dragging !== undefined || undefined}>
      <p role="status" className="visually-hidden">
        {said}
      </p>
      {blocks.length === 0 && !open && (
        <p className={styles.hint}>
          {words.noBlocks}. {words.noBlocksHint}
        </p>
      )}
      <ul className={styles.list}>
        {treeOf(blocks).map(({ block, blocks: inner }) => rowOf(block, isContainer(block) ? inner : undefined))}
      </ul>
      {mayWrite && <div className={styles.add}>{adder()}</div>}
      {next && (
        <ConfirmDialog
          title={texts.discard.title}
          action={texts.discard.action}
          isBusy={false}
          onConfirm={() => {
            setNext(undefined)
            setOpen(next.open)
          }}
          onClose={() => setNext(undefined)}
        >
          {texts.discard.hint}
        </ConfirmDialog>
      )}
    </div>
  )
}

/** At which row the line is drawn that shows where a dragged block goes. */
function dropMark(blocks: readonly Block[], id: string, { container, index }: Place) {
  const siblings = blocks.filter(
    ({ block_id, container_id }) => block_id !== id && (container_id || undefined) === container,
  )
  const before = siblings[index]
  if (before) return { id: before.block_id, side: 'before' } as const
  const last = siblings.at(-1)
  if (last) return { id: last.block_id, side: 'after' } as const
  return container === undefined ? undefined : ({ id: container, side: 'inside' } as const)
}
