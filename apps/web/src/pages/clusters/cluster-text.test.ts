import { expect, it } from 'vitest'
import { failureEffect, vanishedAdvice } from './cluster-text'

it('states that a failed plan changed nothing and that other failed actions may have (15.24)', () => {
  const info = { state: 'available', since: 0, cause: 'The cloud rejected the credential.' } as const
  const after = (failedAction: string) => failureEffect({ provider: 'aws', info: { ...info, failedAction } })
  expect(after('plan')).toBe('Planning changed nothing in the cloud. ')
  expect(after('resize')).toBe('Some of its changes may have been made. ')
  expect(failureEffect({ provider: 'local', info })).toBe('')
})

it('explains how vanished machines are recreated', () => {
  const [head, node] = [{ role: 'head' as const }, { role: 'node' as const }]
  expect(vanishedAdvice([node], 'off')).toBe('Apply changes to bring it back.')
  expect(vanishedAdvice([node], 'min')).toBe(
    'It is recreated when a job needs it. Apply changes to remove it from the list.',
  )
  expect(vanishedAdvice([node, node], 'min')).toBe(
    'They are recreated when a job needs them. Apply changes to remove them from the list.',
  )
  // No job can trigger the recreation of the head node.
  expect(vanishedAdvice([head, node], 'max')).toBe('Apply changes to bring them back.')
})
