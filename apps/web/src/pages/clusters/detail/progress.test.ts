import { expect, it } from 'vitest'
import { progressOf } from './progress'

it('counts the engine’s progress through the current plan', () => {
  const lines = (...texts: string[]) => texts.map((text) => ({ text }))
  expect(progressOf(lines('Initializing the backend...'))).toBeNull()
  const logLines = [
    'Plan: 2 to add, 1 to change, 1 to destroy.',
    'aws_vpc.network["made"]: Creating...',
    'aws_vpc.network["made"]: Creation complete after 0s [id=vpc-1]',
    'aws_instance.head: Modifications complete after 3s [id=i-1]',
  ]
  expect(progressOf(lines(...logLines))).toEqual({ done: 2, of: 4 })
  // A new plan, made because the cloud had changed, restarts the count.
  expect(progressOf(lines(...logLines, 'Plan: 1 to add, 0 to change, 0 to destroy.'))).toEqual({
    done: 0,
    of: 1,
  })
})
