import { afterEach, expect, it } from 'vitest'
import { until } from '../../../test/support/until'
import { makeStreams } from './streams'

type Open = { person: string; lost?: string | Error; ended: string[] }
const opened = (person: string): Open => ({ person, ended: [] })
const NEVER_MS = 60_000

let stop = () => {}
afterEach(() => stop())
const streamsEvery = (everyMs: number) => {
  const made = makeStreams<Open>({
    everyMs,
    peopleOf: ({ person }) => [person],
    endReason({ lost = null }) {
      return lost instanceof Error ? Promise.reject(lost) : Promise.resolve(lost)
    },
    end: ({ ended }, reason) => void ended.push(reason),
  })
  stop = () => made.stop(() => {})
  return made
}

it('ends a stream once its user has lost access, even without a notification', async () => {
  const streams = streamsEvery(5)
  const [ada, eve] = [opened('ada'), opened('eve')]
  streams.hold(ada)
  streams.hold(eve)
  ada.lost = 'Shared no longer'
  await until(() => ada.ended.includes('Shared no longer'))
  expect(eve.ended).toEqual([])
})

it('rechecks the streams of a changed user at once, and no others', async () => {
  const streams = streamsEvery(NEVER_MS)
  const [ada, eve] = [opened('ada'), opened('eve')]
  for (const one of [ada, eve]) {
    streams.hold(one)
    one.lost = 'The role is gone'
  }
  streams.recheck('ada')
  await until(() => ada.ended.length > 0)
  expect(eve.ended).toEqual([])
  streams.recheck()
  await until(() => eve.ended.length > 0)
})

it('keeps a stream whose check fails, and still checks the others', async () => {
  const streams = streamsEvery(NEVER_MS)
  const [ada, eve] = [opened('ada'), opened('eve')]
  ada.lost = new Error('The database is away')
  eve.lost = 'The session has ended'
  await streams.check([ada, eve])
  expect(ada.ended).toEqual([])
  expect(eve.ended).toEqual(['The session has ended'])
})

it('streams can be released in any order, and twice without harm', () => {
  const streams = streamsEvery(NEVER_MS)
  const all = ['ada', 'eve', 'bob'].map(opened)
  const [releaseAda, , releaseBob] = all.map(streams.hold)
  releaseAda?.()
  releaseAda?.()
  expect(streams.all().map(({ person }) => person)).toEqual(['bob', 'eve'])
  releaseBob?.()
  expect(streams.all().map(({ person }) => person)).toEqual(['eve'])
})
