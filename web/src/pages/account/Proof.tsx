import { PasswordInput, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.layer.css'
import { useQuery } from '@tanstack/react-query'
import { useField } from '../../parts/Form.js'
import { passkeyTexts } from '../../texts/passkeys.js'
import { people } from '../../texts/people.js'
import { proofOf } from './passkey-ceremony.js'
import { twoFactorQuery } from './queries.js'

/** The password and, with a second factor, a code or a passkey. */
export function useProof() {
  const { data } = useQuery(twoFactorQuery)
  const password = useField('')
  const code = useField('')
  const { passkeys = 0, is_enabled: hasCodes = false } = data ?? {}
  return { password, code, passkeys, hasCodes, read: () => proofOf(password.value, code.value, passkeys) }
}

interface ProofProps {
  readonly proof: ReturnType<typeof useProof>
}

export function ProofFields({ proof: { password, code, passkeys, hasCodes } }: ProofProps) {
  return (
    <>
      <PasswordInput
        label={people.account.currentPassword}
        autoComplete="current-password"
        {...password.input}
        required
        data-autofocus
      />
      {(hasCodes || passkeys > 0) && (
        <TextInput
          label={passkeyTexts.code}
          description={passkeys > 0 ? passkeyTexts.codeOrPasskey : undefined}
          autoComplete="one-time-code"
          {...code.input}
          required={passkeys === 0}
        />
      )}
    </>
  )
}
