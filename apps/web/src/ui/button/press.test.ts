import { expect, it } from 'vitest'
import { pressEnd } from './press'

it('waits until a press has ended and its click was handled', async () => {
  const events: string[] = []
  addEventListener('click', () => events.push('click'), { once: true })
  await pressEnd()
  dispatchEvent(new Event('pointerdown'))
  const waited = pressEnd().then(() => events.push('moved'))
  await new Promise((resolve) => setTimeout(resolve))
  expect(events).toEqual([])
  dispatchEvent(new Event('pointerup'))
  dispatchEvent(new Event('click'))
  await waited
  expect(events).toEqual(['click', 'moved'])
  await pressEnd()
})
