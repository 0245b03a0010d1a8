import { expect, it } from 'vitest'
import { pressEnd } from './press'

it('waits for the end of a press, until after its click', async () => {
  const heard: string[] = []
  addEventListener('click', () => heard.push('click'), { once: true })
  await pressEnd()
  dispatchEvent(new Event('pointerdown'))
  const waited = pressEnd().then(() => heard.push('moved'))
  await new Promise((resolve) => setTimeout(resolve))
  expect(heard).toEqual([])
  dispatchEvent(new Event('pointerup'))
  dispatchEvent(new Event('click'))
  await waited
  expect(heard).toEqual(['click', 'moved'])
  await pressEnd()
})
