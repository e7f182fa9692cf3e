import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'

interface RunButtonProps extends ButtonProps {
  /** The mutation that it begins. */
  readonly run: { readonly isPending: boolean; mutate(): void }
  readonly 'aria-label'?: string
  readonly children: ReactNode
}

/** A button that begins something, and shows that it goes on. */
export function RunButton({ run, ...props }: RunButtonProps) {
  return <Button loading={run.isPending} onClick={() => run.mutate()} {...props} />
}
