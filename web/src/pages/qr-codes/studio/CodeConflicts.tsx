/** What two people changed in a code, in words and as pictures. */
import { ownFields } from '../../../api/save-merged.js'
import { Conflicts, type FoundConflicts } from '../../../parts/merged-save.js'
import { studio } from '../../../texts/studio.js'
import { texts } from '../../../texts/texts.js'
import { Preview } from './Preview.js'
import { type Draft, designOf } from './StudioForm.js'

export const fields = ownFields<Draft>()

interface CodeConflictsProps extends FoundConflicts<Draft, keyof Draft> {
  readonly group: string
  /** What the pictures say. */
  readonly content: string
}

export function CodeConflicts({ group, content, ...props }: CodeConflictsProps) {
  const textOf = (name: keyof Draft, state: Draft) => {
    if (name === 'longUrl' || name === 'title') return state[name]
    // As it would be with this part of theirs.
    const design = designOf(fields.withFieldsOf(props.mine, [name], state))
    return (
      <>
        {wordsOf(name, state)}
        <Preview group={group} content={content} design={design} />
      </>
    )
  }
  return <Conflicts {...props} labelOf={labelOf} textOf={textOf} />
}

/** Where a picture alone would not tell the difference. */
function wordsOf(name: keyof Draft, { dot_pattern_type = 'standard', text = {}, frame, ...design }: Draft): string {
  if (name === 'dot_pattern_type') return studio.patterns[dot_pattern_type]
  if (name === 'text') return [text.top, text.center, text.bottom].flatMap((each) => each?.content ?? []).join('\n')
  if (name === 'frame') return Object.values(frame?.text ?? {}).join('\n')
  return name === 'background_color' || name === 'dot_pattern_color' ? (design[name] ?? '') : ''
}

function labelOf(name: keyof Draft): string {
  const labels: Readonly<Record<keyof Draft, string>> = {
    longUrl: texts.create.destination,
    title: texts.create.title,
    background_color: studio.ground,
    dot_pattern_color: studio.dots,
    dot_pattern_type: studio.pattern,
    corners: studio.corners,
    gradient: studio.gradientOf.dots,
    background_gradient: studio.gradientOf.ground,
    logo: studio.logo,
    frame: studio.frame,
    text: studio.sections.texts,
    spec_settings: studio.correction,
    branding: studio.design,
  }
  return labels[name]
}
