/** Home while the group has no link yet: one field for the first, and the way for programs. Then the first steps that are left. */
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, Link2 } from 'lucide-react'
import { userQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { Form, useField } from '../../parts/Form.js'
import { errorText } from '../../parts/Problem.js'
import { withScheme } from '../../parts/with-scheme.js'
import { texts } from '../../texts/texts.js'
import { useCreateLink } from '../create/queries.js'
import { Checklist } from './Checklist.js'
import styles from './Start.module.css'

interface StartProps {
  readonly group: string
  /** Then only the first steps are left. */
  readonly hasLinks: boolean
}

export function Start({ group, hasLinks }: StartProps) {
  const steps = <Checklist group={group} hasLinks={hasLinks} />
  if (hasLinks) return steps
  return (
    <>
      <FirstLink group={group} />
      <div className={styles.more}>
        {steps}
        <ForPrograms group={group} />
      </div>
    </>
  )
}

function FirstLink({ group }: { readonly group: string }) {
  const words = texts.start
  const create = useCreateLink(group)
  const url = useField('')
  return (
    <section className={styles.first} aria-labelledby="first-link">
      <span className={styles.picture} aria-hidden="true">
        <Link2 size={26} />
      </span>
      <h2 id="first-link" className={styles.title}>
        {words.title}
      </h2>
      <p className={styles.hint}>{words.hint}</p>
      <Form
        onSubmit={() => create.mutate({ long_url: withScheme(url.value) })}
        onChange={() => create.isError && create.reset()}
        className={styles.form}
      >
        <TextInput
          className={styles.field}
          size="lg"
          aria-label={texts.create.destination}
          placeholder="https://example.com/long/page"
          {...url.input}
          error={create.error && errorText(create.error)}
          inputMode="url"
          autoComplete="off"
          data-destination
          required
        />
        <Button type="submit" size="lg" loading={create.isPending}>
          {words.shorten}
        </Button>
      </Form>
      <p className={styles.other}>
        {words.many}{' '}
        <Link to="/$group/links/imports" params={{ group }}>
          {words.importFile}
        </Link>
      </p>
    </section>
  )
}

function ForPrograms({ group }: { readonly group: string }) {
  const { data: user } = useQuery(userQuery)
  const link = { long_url: 'https://example.com', ...(user?.default_group_guid !== group && { group_guid: group }) }
  const command = [
    `curl -X POST '${location.origin}/v4/shorten'`,
    '-H "Authorization: Bearer $TOKEN"',
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(link)}'`,
  ].join(' \\\n  ')
  return (
    <Card title={texts.start.programs} actions={<CopyButton value={command} label={texts.start.copyCommand} />}>
      <pre className={styles.command}>{command}</pre>
      <p className={styles.links}>
        <Link to="/account">{texts.start.steps.token}</Link>
        <a href="/docs">
          {texts.shell.developers} <ArrowRight size={14} aria-hidden="true" />
        </a>
      </p>
    </Card>
  )
}
