import { expect, test } from 'vitest'
import { coresText, countText, eitherText } from './count-text'

test('a count of one is singular', () => {
  expect(countText(1, 'node')).toBe('1 node')
  expect(countText(0, 'node')).toBe('0 nodes')
  expect(countText(2, 'person', 'people')).toBe('2 people')
  expect(coresText({ cores: 1, gpus: 0 })).toBe('1 core')
  expect(coresText({ cores: 8, gpus: 1 })).toBe('8 cores and 1 GPU')
})

test('choices are joined as in a sentence', () => {
  expect(eitherText([])).toBe('')
  expect(eitherText(['stopped'])).toBe('stopped')
  expect(eitherText(['planned', 'stopped'])).toBe('planned or stopped')
  expect(eitherText(['planned', 'stopped', 'failed'])).toBe('planned, stopped or failed')
})
