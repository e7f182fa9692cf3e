import { expect, it } from 'vitest'
import { auditTexts } from '../../texts/audit.js'
import { actionsOf, auditKinds } from './audit-kinds.js'

it('has one kind for each action of the audit log', () => {
  const chosen = auditKinds.flatMap(actionsOf)
  expect(chosen.toSorted()).toEqual(Object.keys(auditTexts.sentences).toSorted())
})
