import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { currentSession, forgetSession } from '../api/client.js'
import { Dialog } from '../parts/Dialog.js'
import { errorText } from '../parts/Problem.js'
import { texts } from '../texts/texts.js'

/** Asks the person to sign in again in another tab. The page behind it stays as it is, with all that was typed. */
export function SignedOutDialog({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [problem, setProblem] = useState('')
  const goOn = async () => {
    forgetSession()
    try {
      if (await currentSession()) onSignedIn()
      else setProblem(texts.session.stillSignedOut)
    } catch (error) {
      setProblem(errorText(error))
    }
  }
  return (
    <Dialog onClose={() => undefined} withCloseButton={false} title={texts.session.endedTitle}>
      <Text>{texts.session.ended}</Text>
      {problem && (
        <Text role="alert" c="var(--bad)">
          {problem}
        </Text>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => void goOn()}>
          {texts.session.continue}
        </Button>
        <Button component="a" href="/account/sign-in?next=/app" target="_blank" rel="noopener">
          {texts.session.signIn}
        </Button>
      </Group>
    </Dialog>
  )
}
