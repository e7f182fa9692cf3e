import { Message } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'

/** For a person whom nobody has given access to a group yet. */
export function NoGroup() {
  return (
    <Message title={texts.errors.noAccess} isPage>
      {texts.errors.noAccessHint}
    </Message>
  )
}
