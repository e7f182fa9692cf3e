/** Reads the operator's plans file and reports all its problems together. */
import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Plan, planFeatures, unlimited } from '../../core/limits/plan.js'
import { featureNames } from '../../core/usage/features.js'
import { OperatorError } from '../../lib/operator-error.js'

const PlansFile = Compile(
  Type.Record(
    Type.String({ pattern: '^[\\w-]{1,50}$' }),
    Type.Object(
      {
        displayName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
        limits: Type.Optional(
          Type.Object(
            Object.fromEntries(featureNames.map((name) => [name, Type.Optional(Type.Integer({ minimum: 0 }))])),
            { additionalProperties: false },
          ),
        ),
        features: Type.Optional(Type.Array(Type.Enum([...planFeatures], { type: 'string' }))),
      },
      { additionalProperties: false },
    ),
    { additionalProperties: false },
  ),
)

export interface PlansPlace {
  /** Path of the file; undefined: only the built-in plan. */
  readonly plans: string | undefined
  readonly defaultPlan: string
}

/** Includes the built-in plan, which the file may redefine. */
export function loadPlans({ plans: path, defaultPlan }: PlansPlace): readonly Plan[] {
  const plans = path === undefined ? [] : readPlans(path)
  const all = plans.some(({ name }) => name === unlimited.name) ? plans : [unlimited, ...plans]
  if (!all.some(({ name }) => name === defaultPlan)) {
    const names = all.map(({ name }) => name).join(', ')
    throw new OperatorError(`defaultPlan: there is no plan "${defaultPlan}". Known plans: ${names}.`)
  }
  return all
}

function readPlans(path: string): readonly Plan[] {
  const content = readJson(path)
  if (!PlansFile.Check(content)) {
    const problems = [...PlansFile.Errors(content)].map(
      ({ instancePath, message }) => `${instancePath || '/'} ${message}`,
    )
    const known = `Limits: ${featureNames.join(', ')}. Features: ${planFeatures.join(', ')}.`
    throw new OperatorError(`The plans in ${path} are not valid: ${problems.join('; ')}. ${known}`)
  }
  return Object.entries(content).map(([name, { displayName = name, limits = {}, features = planFeatures }]) => ({
    name,
    displayName,
    limits: Object.keys(limits).length === 0 ? undefined : limits,
    features: new Set(features),
  }))
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new OperatorError(`Cannot read the plans in ${path} (${(error as Error).message}). Check --plans.`)
  }
}
