import { expect, it } from 'vitest'
import type { QueuedJob } from '../../../schedulers/scheduler'
import { readPast } from './past'
import type { InProgress } from './store'

const row = (id: string) =>
  ({ id, user_id: id, native_id: id, account: id, array: null, run_as_admin: false }) as InProgress

it('does not wait for an account that never responds, and queries the others', async () => {
  const query = { argv: [], parse: () => [] }
  const access = {
    forSubmission: async ({ run_as_admin, user_id }: InProgress) => ({
      connection: {
        owner: run_as_admin ? null : user_id,
        home: '',
        scheduler: { history: () => [], ownHistory: () => [query] },
      },
    }),
    query: ({ owner }: { owner: string }): Promise<QueuedJob[]> =>
      owner === 'mallory'
        ? new Promise(() => {})
        : Promise.resolve([{ id: owner, user: owner, tasks: 1 } as QueuedJob]),
  }
  const { found, unqueried } = await readPast(access as never, 'c', ['mallory', 'ada'].map(row), 20)
  expect([...found.keys()]).toEqual(['ada'])
  expect([...unqueried]).toEqual(['mallory'])
})

it('ignores a job with the same number under another account', async () => {
  const query = { argv: [], parse: () => [] }
  const scheduler = { history: () => [query] }
  const access = {
    forSubmission: async () => ({ connection: { home: '', scheduler } }),
    query: async () => [{ id: 'mallory', user: 'ada', tasks: 1 } as QueuedJob],
  }
  const { found } = await readPast(access as never, 'c', [row('mallory')], 20)
  expect([...found.keys()]).toEqual([])
})
