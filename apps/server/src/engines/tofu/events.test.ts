import { expect, it } from 'vitest'
import { parseEvent } from './events'

const eventOf = (text: string) => parseEvent({ text, end: 1 }, (same) => same, 'warning')?.event

it('a JSON line has the engine’s level, and any other text the level passed in', () => {
  const line = JSON.stringify({ '@level': 'error', '@message': 'No capacity' })
  expect(eventOf(line)).toMatchObject({ level: 'error', text: 'No capacity' })
  expect(eventOf('panic: runtime error')).toMatchObject({ level: 'warning', text: 'panic: runtime error' })
})
