/** Rules that send some visitors elsewhere. The first that fits wins, so their order can be changed. */
import { ActionIcon, Button, MultiSelect, Select, TextInput } from '@mantine/core'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { wrongUrl } from '../../parts/field-errors.js'
import { ProblemLine } from '../../parts/Problem.js'
import { plainUrl, withScheme } from '../../parts/with-scheme.js'
import { texts } from '../../texts/texts.js'
import { countryChoices } from './countries.js'
import styles from './LinkForm.module.css'
import {
  type Condition,
  conditionOf,
  deviceName,
  type Kind,
  kinds,
  type Rule,
  sentenceOf,
  systemName,
  withCondition,
} from './routing.js'

interface RoutingRulesProps {
  readonly rules: readonly Rule[]
  /** Where everybody else goes. */
  readonly longUrl: string
  readonly onChange: (rules: readonly Rule[]) => void
  readonly error: string | undefined
}

export function RoutingRules({ rules, longUrl, onChange, error }: RoutingRulesProps) {
  const { routing } = texts.create
  const wrong = rules.map((rule) => error !== undefined && wrongUrl(withScheme(rule.long_url)))
  const replace = (index: number, rule: Rule) => onChange(rules.map((each, at) => (at === index ? rule : each)))
  const swap = (index: number, other: number) => {
    const moved = [...rules]
    const [one, two] = [rules[index], rules[other]]
    if (!one || !two) return
    moved[index] = two
    moved[other] = one
    onChange(moved)
  }
  return (
    <div className={styles.panel}>
      {rules.map((rule, index) => (
        <fieldset key={index} className={styles.rule}>
          <legend className={styles.ruleName}>{routing.rule(index + 1)}</legend>
          <div className={styles.ruleTools}>
            <Tool label={routing.earlier(index + 1)} isOff={index === 0} onClick={() => swap(index, index - 1)}>
              <ArrowUp size={16} />
            </Tool>
            <Tool
              label={routing.later(index + 1)}
              isOff={index === rules.length - 1}
              onClick={() => swap(index, index + 1)}
            >
              <ArrowDown size={16} />
            </Tool>
            <Tool label={routing.remove(index + 1)} onClick={() => onChange(rules.filter((_, at) => at !== index))}>
              <Trash2 size={16} />
            </Tool>
          </div>
          {kinds.map((kind) => (
            <ConditionField
              key={kind}
              kind={kind}
              condition={conditionOf(rule, kind)}
              onChange={(condition) => replace(index, withCondition(rule, kind, condition))}
            />
          ))}
          <TextInput
            label={routing.goTo}
            placeholder="https://example.de/page"
            value={rule.long_url}
            onChange={({ currentTarget }) => replace(index, { ...rule, long_url: currentTarget.value })}
            error={wrong[index]}
            inputMode="url"
            autoComplete="off"
            required
          />
        </fieldset>
      ))}
      <Button
        variant="default"
        leftSection={<Plus size={16} />}
        onClick={() => onChange([...rules, { long_url: '' }])}
        disabled={rules.length >= 250}
      >
        {routing.add}
      </Button>
      <ProblemLine>{!wrong.some(Boolean) && error}</ProblemLine>
      {rules.length > 0 && (
        <ol className={styles.summary} aria-label={routing.summary}>
          {rules.map((rule, index) => (
            <li key={index}>{sentenceOf(rule)}</li>
          ))}
          <li>{routing.others(plainUrl(longUrl))}</li>
        </ol>
      )}
    </div>
  )
}

interface ConditionFieldProps {
  readonly kind: Kind
  readonly condition: Condition
  readonly onChange: (condition: Condition) => void
}

function ConditionField({ kind, condition, onChange }: ConditionFieldProps) {
  const { routing } = texts.create
  const data = useMemo(() => choicesOf(kind), [kind])
  return (
    <div className={styles.condition}>
      <Select
        label={routing.kinds[kind]}
        data={[
          { value: 'match', label: routing.is },
          { value: 'exclude', label: routing.isNot },
        ]}
        value={condition.isExcluded ? 'exclude' : 'match'}
        onChange={(value) => onChange({ ...condition, isExcluded: value === 'exclude' })}
        allowDeselect={false}
      />
      <MultiSelect
        aria-label={routing.kinds[kind]}
        placeholder={condition.values.length === 0 ? routing.any : ''}
        data={data}
        value={[...condition.values]}
        onChange={(values) => onChange({ ...condition, values })}
        searchable={kind === 'country'}
        clearable
      />
    </div>
  )
}

function choicesOf(kind: Kind): { value: string; label: string }[] {
  if (kind === 'country') return countryChoices()
  if (kind === 'os') return ['ios', 'android'].map((value) => ({ value, label: systemName(value) }))
  return ['mobile', 'tablet', 'desktop'].map((value) => ({ value, label: deviceName(value) }))
}

interface ToolProps {
  readonly label: string
  readonly isOff?: boolean
  readonly onClick: () => void
  readonly children: React.ReactNode
}

function Tool({ label, isOff = false, onClick, children }: ToolProps) {
  if (isOff) return null
  return (
    <ActionIcon aria-label={label} title={label} onClick={onClick}>
      {children}
    </ActionIcon>
  )
}
