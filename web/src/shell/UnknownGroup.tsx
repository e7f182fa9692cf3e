import { Button, Group as Row } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Group } from '../api/types.js'
import { Message } from '../parts/Problem.js'
import { texts } from '../texts/texts.js'

/** More are in the menu of groups. */
const shown = 6

/** For an old or mistyped address: leads to the person's own groups. */
export function UnknownGroup({ groups }: { readonly groups: readonly Group[] }) {
  const { errors } = texts
  return (
    <Message
      title={errors.unknownGroup}
      isPage
      action={
        <Row justify="center">
          {groups.slice(0, shown).map(({ guid, name }) => (
            <Button
              key={guid}
              variant="default"
              renderRoot={(props) => <Link to="/$group" params={{ group: guid }} {...props} />}
            >
              {name}
            </Button>
          ))}
        </Row>
      }
    >
      {groups.length > 0 ? errors.unknownGroupHint : errors.noAccessHint}
    </Message>
  )
}
