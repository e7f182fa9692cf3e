import { expect, it, vi } from 'vitest'

vi.stubGlobal('navigator', { languages: ['en-US'] })
vi.stubGlobal('localStorage', { getItem: () => 'en' })
const { auditTexts } = await import('../../texts/audit.js')
const { actionsOf, auditKinds } = await import('./audit-kinds.js')

it('has one kind for each action of the audit log', () => {
  const chosen = auditKinds.flatMap(actionsOf)
  expect(chosen.toSorted()).toEqual(Object.keys(auditTexts.sentences).toSorted())
})
