import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { formatAge, formatDay } from '../../parts/format.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { Rows, RowText } from '../../parts/Rows.js'
import { passkeyTexts } from '../../texts/passkeys.js'
import { people } from '../../texts/people.js'
import { hasPasskeys } from './passkey-ceremony.js'
import { RecoveryCodes } from './TwoFactorCard.js'

const PasskeyDialog = lazyPart(() => import('./PasskeyDialog.js'), 'PasskeyDialog')

export interface Passkey {
  readonly guid: string
  readonly name: string
  readonly created: string
  readonly last_used_at?: string
}

export type PasskeyStep =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename' | 'remove'; readonly passkey: Passkey; readonly isLast: boolean }

/** Passkeys of the person: added, renamed, removed. */
export function PasskeysCard() {
  const client = useQueryClient()
  const passkeys = useQuery({
    queryKey: ['user', 'passkeys'],
    queryFn: async (): Promise<readonly Passkey[]> => (await ask(api.GET('/v4/user/passkeys'))).passkeys,
  })
  const [step, setStep] = useState<PasskeyStep>()
  const [codes, setCodes] = useState<readonly string[]>()
  const isLast = passkeys.data?.length === 1
  const texts = passkeyTexts
  return (
    <Card
      title={texts.title}
      hint={hasPasskeys ? texts.hint : texts.unsupported}
      actions={
        <Button variant="default" disabled={!hasPasskeys} onClick={() => setStep({ kind: 'add' })}>
          {texts.add}
        </Button>
      }
    >
      {codes && <RecoveryCodes hint={texts.recoveryHint} codes={codes} onDone={() => setCodes(undefined)} />}
      <Rows
        query={passkeys}
        keyOf={({ guid }) => guid}
        empty={texts.none}
        row={(passkey) => (
          <>
            <RowText title={passkey.name}>
              {people.account.made} {formatDay(passkey.created)} ·{' '}
              {passkey.last_used_at
                ? `${people.account.lastUsed} ${formatAge(passkey.last_used_at)}`
                : people.account.neverUsed}
            </RowText>
            <Button variant="subtle" onClick={() => setStep({ kind: 'rename', passkey, isLast })}>
              {texts.rename}
            </Button>
            <Button variant="subtle" color="red" onClick={() => setStep({ kind: 'remove', passkey, isLast })}>
              {texts.remove}
            </Button>
          </>
        )}
      />
      {step && (
        <PasskeyDialog
          step={step}
          onDone={(made) => {
            setStep(undefined)
            if (made) setCodes(made)
            void client.invalidateQueries({ queryKey: ['user'] })
          }}
          onClose={() => setStep(undefined)}
        />
      )}
    </Card>
  )
}
