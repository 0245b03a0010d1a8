import { expect, it } from 'vitest'
import { inShownOrder, leftText, totalsOf } from './totals'
import type { Upload } from './uploads'

const upload = (path: string, state: Upload['state'], sent: number, size = 100): Upload => ({
  id: path,
  cluster: 'c',
  path,
  size,
  sent,
  state,
  lastModified: 0,
  speed: 0,
  problem: null,
  replace: false,
})

it('sorts running uploads first and finished ones last', () => {
  const all = [
    upload('done', 'done', 100),
    upload('waiting', 'waiting', 0),
    upload('failed', 'failed', 10),
    upload('sending', 'sending', 50),
    upload('paused', 'paused', 5),
  ]
  expect(inShownOrder(all).map(({ path }) => path)).toEqual([
    'sending',
    'failed',
    'waiting',
    'paused',
    'done',
  ])
})

it('adds up the bytes sent and estimates the time left', () => {
  const all = [
    upload('a', 'done', 100),
    upload('b', 'sending', 40),
    upload('c', 'waiting', 0, 1000),
    upload('d', 'failed', 10, 5000),
  ]
  expect(totalsOf(all, 10)).toEqual({ sent: 140, size: 1200, secondsLeft: 106 })
  expect(totalsOf(all, 0).secondsLeft).toBeNull()
  expect([12.3, 106, 9000].map(leftText)).toEqual(['13 s left', '2 min left', '3 h left'])
})
