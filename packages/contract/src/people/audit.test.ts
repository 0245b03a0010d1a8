import { expect, it } from 'vitest'
import { actionText, allAuditActions } from './audit'

it('describes every action in plain text, without names from the code', () => {
  expect(actionText('deployNode done')).toBe('Deploy nodes: done')
  expect(actionText('deploy failed')).toBe('Deploy: failed')
  expect(actionText('jobs hold')).toBe('Jobs held')
  expect(actionText('SSH key uploaded')).toBe('SSH key uploaded')
  for (const action of allAuditActions) expect(actionText(action)).toMatch(/^[A-Z][a-zA-Z: ]+$/)
  // camelCase comes from the code.
  for (const action of allAuditActions)
    expect(actionText(action).replace('OpenVPN', '')).not.toMatch(/[a-z][A-Z]/)
})
