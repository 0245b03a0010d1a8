import { expect, it } from 'vitest'
import { failureEffect } from './cluster-text'

it('says after a failed plan that nothing was changed, and after other actions that something may be (15.24)', () => {
  const info = { state: 'available', since: 0, cause: 'The cloud rejected the credential.' } as const
  const after = (failedAction: string) => failureEffect({ provider: 'aws', info: { ...info, failedAction } })
  expect(after('plan')).toBe('Planning changed nothing in the cloud. ')
  expect(after('resize')).toBe('Some of its changes may have been made. ')
  expect(failureEffect({ provider: 'local', info })).toBe('')
})
