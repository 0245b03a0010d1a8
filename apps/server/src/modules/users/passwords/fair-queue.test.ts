import { expect, it } from 'vitest'
import { Failure } from '../../../fail'
import { FairQueue, type Source } from './fair-queue'

const stranger = (lane: string): Source => ({ lane, known: false })
const known = (lane: string): Source => ({ lane, known: true })

/** A queue whose only worker is blocked until `finish`, so that the test decides when the other jobs start. */
function heldQueue(limits: { perLane: number; total: number }) {
  const queue = new FairQueue({ workers: 1, ...limits })
  const order: string[] = []
  let release = () => {}
  const gate = new Promise<void>((open) => (release = open))
  const all: Promise<unknown>[] = [queue.run(stranger('held'), () => gate)]
  return {
    queue,
    order,
    /** Adds a job. Returns its name, or the code with which it was rejected. */
    add: (name: string, source: Source): Promise<string> => {
      const done = queue
        .run(source, async () => void order.push(name))
        .then(
          () => name,
          (error: unknown) => (error instanceof Failure ? error.code : String(error)),
        )
      all.push(done)
      return done
    },
    finish: async () => {
      release()
      await Promise.all(all)
      return order
    },
  }
}
const many = (count: number) => Array.from({ length: count }, (_, index) => index)

it('each network gets its turns, regardless of how many jobs wait in another', async () => {
  const { add, finish } = heldQueue({ perLane: 400, total: 1000 })
  for (const index of many(300)) void add(`flood ${index}`, stranger('flood'))
  void add('first', stranger('home'))
  void add('second', stranger('home'))
  expect((await finish()).slice(0, 4)).toEqual(['flood 0', 'first', 'flood 1', 'second'])
})

it('known sources go before strangers, who still get every fourth turn', async () => {
  const { add, finish } = heldQueue({ perLane: 400, total: 1000 })
  for (const index of many(3)) void add(`stranger ${index}`, stranger(`network ${index}`))
  for (const index of many(9)) void add(`known ${index}`, known('account'))
  // The blocked job took the first of four turns.
  expect((await finish()).map((name) => name[0]).join('')).toBe('kkskkkskkksk')
})

it('the number of jobs waiting in a lane is bounded', async () => {
  const { add, finish } = heldQueue({ perLane: 3, total: 1000 })
  const results = many(5).map((index) => add(`${index}`, stranger('flood')))
  expect(await Promise.all(results.slice(3))).toEqual(['too_many_requests', 'too_many_requests'])
  expect(await finish()).toEqual(['0', '1', '2'])
})

it('a rejected job reports when to retry', async () => {
  const queue = new FairQueue({ workers: 1, perLane: 0, total: 0 })
  await expect(queue.run(stranger('x'), async () => {})).rejects.toMatchObject({
    status: 429,
    details: { retryAfter: 5 },
  })
})

it('the total is bounded: the longest lane loses its last job, and known sources are still accepted', async () => {
  const { add, finish } = heldQueue({ perLane: 10, total: 6 })
  const flood = many(4).map((index) => add(`flood ${index}`, stranger('flood')))
  const other = many(2).map((index) => add(`other ${index}`, stranger('other')))
  const late = add('late', stranger('home'))
  expect(await flood[3]).toBe('too_many_requests')
  expect(await add('more', stranger('flood'))).toBe('too_many_requests')
  const friend = add('friend', known('friend'))
  await finish()
  expect(await Promise.all([...flood, ...other, late, friend])).toEqual([
    'flood 0',
    'flood 1',
    'flood 2',
    'too_many_requests',
    'other 0',
    'other 1',
    'late',
    'friend',
  ])
})

it('strangers from many networks can only fill the queue of strangers', async () => {
  const { add, finish } = heldQueue({ perLane: 400, total: 1000 })
  for (const index of many(1000)) void add(`bot ${index}`, stranger(`network ${index}`))
  expect(await add('newcomer', stranger('elsewhere'))).toBe('too_many_requests')
  void add('owner', known('owner'))
  expect((await finish())[0]).toBe('owner')
})

it('all waiting jobs of a lane can be rejected at once', async () => {
  const { queue, add, finish } = heldQueue({ perLane: 10, total: 10 })
  const flood = many(3).map((index) => add(`flood ${index}`, stranger('flood')))
  void add('home', stranger('home'))
  queue.refuse('flood', () => new Failure('too_many_attempts'))
  expect(await Promise.all(flood)).toEqual(Array(3).fill('too_many_attempts'))
  expect(await finish()).toEqual(['home'])
})

it('the queue continues after a job that fails', async () => {
  const queue = new FairQueue({ workers: 1, perLane: 10, total: 10 })
  const failing = queue.run(stranger('a'), () => Promise.reject(new Failure('wrong_credentials')))
  const next = queue.run(stranger('a'), async () => 'done')
  await expect(failing).rejects.toMatchObject({ code: 'wrong_credentials' })
  expect(await next).toBe('done')
})

it('the queue runs as many jobs concurrently as it has workers', async () => {
  const queue = new FairQueue({ workers: 2, perLane: 10, total: 10 })
  let [running, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
  }
  await Promise.all(many(8).map(() => queue.run(stranger('a'), work)))
  expect(most).toBe(2)
})
