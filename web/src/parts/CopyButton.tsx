import { ActionIcon, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { texts } from '../texts/texts.js'
import { copyText } from './copy-text.js'

interface CopyButtonProps {
  readonly value: string
  /** What is copied, for screen readers. */
  readonly label?: string
}

export function CopyButton({ value, label = texts.common.copy }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = async () => {
    setState((await copyText(value)) ? 'copied' : 'failed')
    setTimeout(() => setState('idle'), 2000)
  }
  const said = { idle: label, copied: texts.common.copied, failed: texts.common.copyFailed }[state]
  return (
    <Tooltip label={said} opened={state === 'idle' ? undefined : true}>
      <ActionIcon variant="subtle" color="gray" size="md" aria-label={said} onClick={() => void copy()}>
        {state === 'copied' ? <Check size={16} /> : <Copy size={16} />}
      </ActionIcon>
    </Tooltip>
  )
}
