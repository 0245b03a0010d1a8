import { expect, it } from 'vitest'
import { failureEffect, vanishedAdvice } from './cluster-text'

it('says after a failed plan that nothing was changed, and after other actions that something may be (15.24)', () => {
  const info = { state: 'available', since: 0, cause: 'The cloud rejected the credential.' } as const
  const after = (failedAction: string) => failureEffect({ provider: 'aws', info: { ...info, failedAction } })
  expect(after('plan')).toBe('Planning changed nothing in the cloud. ')
  expect(after('resize')).toBe('Some of its changes may have been made. ')
  expect(failureEffect({ provider: 'local', info })).toBe('')
})

it('says how vanished machines come back', () => {
  const [head, node] = [{ role: 'head' as const }, { role: 'node' as const }]
  expect(vanishedAdvice([node], 'off')).toBe('Apply changes to bring it back.')
  expect(vanishedAdvice([node], 'min')).toBe(
    'It is recreated when a job needs it. Apply changes to remove it from the list.',
  )
  expect(vanishedAdvice([node, node], 'min')).toBe(
    'They are recreated when a job needs them. Apply changes to remove them from the list.',
  )
  // What the head node needs, no job can ask for.
  expect(vanishedAdvice([head, node], 'max')).toBe('Apply changes to bring them back.')
})
