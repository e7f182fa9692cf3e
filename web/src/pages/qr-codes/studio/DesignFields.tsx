/** Everything that can be chosen about the look of a code, in sections. */
import { Tabs } from '@mantine/core'
import page from '../../../parts/page.module.css'
import { studio } from '../../../texts/studio.js'
import { ColorFields } from './ColorFields.js'
import { type DesignProps, withLogo } from './design.js'
import { FrameFields } from './FrameFields.js'
import { LogoField } from './LogoField.js'
import { ShapeFields } from './ShapeFields.js'
import styles from './Studio.module.css'
import { TextFields } from './TextFields.js'

const sections = ['colors', 'shapes', 'logo', 'frame', 'texts'] as const

interface DesignFieldsProps extends DesignProps {
  readonly group: string
}

export function DesignFields({ group, design, onChange }: DesignFieldsProps) {
  const panels = {
    colors: <ColorFields design={design} onChange={onChange} />,
    shapes: <ShapeFields design={design} onChange={onChange} />,
    logo: (
      <LogoField
        group={group}
        value={design.logo?.image_guid}
        onChange={(image) => onChange((now) => withLogo(now, image))}
      />
    ),
    frame: <FrameFields design={design} onChange={onChange} />,
    texts: <TextFields design={design} onChange={onChange} />,
  }
  return (
    <Tabs defaultValue="colors">
      <Tabs.List aria-label={studio.design} className={page.tabs}>
        {sections.map((section) => (
          <Tabs.Tab key={section} value={section} className={styles.tab}>
            {studio.sections[section]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {sections.map((section) => (
        <Tabs.Panel key={section} value={section} className={styles.section}>
          {panels[section]}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
