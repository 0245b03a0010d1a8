import { expect, test } from 'vitest'
import { subjectText } from './own-activities'

test('an activity names its subject without repeating its kind or the user', () => {
  expect(subjectText('ada', 'job submitted', 'job Wing section')).toBe('Wing section')
  expect(subjectText('ada', 'output deleted', 'job Wing section')).toBe('job Wing section')
  expect(subjectText('ada', 'logged in', 'user ada')).toBe('')
  expect(subjectText('ada', 'user updated', 'user bob')).toBe('bob')
})
