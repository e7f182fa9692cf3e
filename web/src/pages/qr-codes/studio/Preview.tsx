/** The picture of a design that is not saved yet. What would not scan is refused by the API, which says why. */
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, ask } from '../../../api/client.js'
import type { QrDesign } from '../../../api/types.js'
import { errorText, ProblemLine } from '../../../parts/Problem.js'
import { texts } from '../../../texts/texts.js'
import styles from './Studio.module.css'

interface PreviewProps {
  readonly group: string
  readonly content: string
  readonly design: QrDesign
}

export function Preview({ group, content, design }: PreviewProps) {
  const [shown] = useDebouncedValue({ content, design }, 150)
  const picture = useQuery({
    queryKey: ['groups', group, 'qr-preview', shown],
    queryFn: async () => {
      const body = { group_guid: group, content: shown.content, render_customizations: shown.design }
      return (await ask(api.POST('/v4/qr-codes/preview', { body }))).image
    },
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <div className={styles.preview}>
      {picture.data && !picture.isError && (
        <img className={styles.code} src={`data:image/svg+xml;base64,${picture.data}`} alt={texts.qrCodes.preview} />
      )}
      <ProblemLine>{picture.error && errorText(picture.error)}</ProblemLine>
    </div>
  )
}
