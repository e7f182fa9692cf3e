import { isOther } from '../../api/is-other.js'
import { type OwnChecks, wrongUrl } from '../../parts/field-errors.js'
import { withScheme } from '../../parts/with-scheme.js'
import { texts } from '../../texts/texts.js'
import { type Draft, emptyDraft } from './draft.js'
import type { Rule } from './routing.js'

/** What is wrong with a link, as far as the form can tell. What was saved before was right. */
export function checksOf(draft: Draft, before = emptyDraft): OwnChecks {
  const { longUrl, rules } = draft
  const isWrong = ({ long_url }: Rule) => wrongUrl(withScheme(long_url)) !== false
  return {
    long_url: longUrl !== before.longUrl && wrongUrl(withScheme(longUrl)),
    dynamic_routing: isOther(before.rules, rules) && rules.some(isWrong) && texts.errors.wrongUrl,
  }
}
