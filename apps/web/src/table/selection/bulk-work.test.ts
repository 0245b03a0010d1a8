import { ApiError } from '@flotilla/client/api-error'
import { expect, it } from 'vitest'
import { runBulk } from './bulk-work'

const rows = Array.from({ length: 300 }, (_, at) => ({ id: `j${at}`, name: `job ${at}` }))
type Row = (typeof rows)[number]
const work = (act: (part: readonly Row[]) => Promise<ReadonlyMap<string, string> | void>, perCall = 1) => ({
  doing: 'Canceling',
  done: (count: number) => `${count} jobs canceled`,
  rows,
  idOf: ({ id }: Row) => id,
  nameOf: ({ name }: Row) => name,
  act,
  perCall,
})
const refused = (message: string, status = 409) => new ApiError({ status, code: 'wrong_state', message })
const quietly = { onProgress: () => {}, isStopped: () => false }

it('acts on each of 300 rows once and counts them', async () => {
  const [seen, counts]: [string[], number[]] = [[], []]
  const result = await runBulk(
    work(async ([row]) => void seen.push(row?.id ?? '')),
    { ...quietly, onProgress: (ended) => counts.push(ended) },
  )
  expect(seen.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  expect(counts).toEqual(rows.map((_, at) => at + 1))
  expect(result).toEqual({ succeeded: 300, failures: [], left: [] })
})

it('continues after a failure and reports the reason of each row', async () => {
  const result = await runBulk(
    work(async ([row]) => {
      if (row?.id === 'j7' || row?.id === 'j250') throw refused(`${row.name} has already ended`)
    }),
    quietly,
  )
  expect(result.succeeded).toBe(298)
  expect(result.failures).toEqual([
    { id: 'j7', name: 'job 7', reason: 'job 7 has already ended' },
    { id: 'j250', name: 'job 250', reason: 'job 250 has already ended' },
  ])
})

it('sends several rows per call, and reports their failures separately', async () => {
  const sizes: number[] = []
  const result = await runBulk(
    work(async (part) => {
      sizes.push(part.length)
      if (part.some(({ id }) => id === 'j299')) throw refused('The head node does not respond')
      return new Map(part.filter(({ id }) => id === 'j3').map(({ id }) => [id, 'Unknown job']))
    }, 70),
    quietly,
  )
  expect(sizes).toEqual([70, 70, 70, 70, 20])
  expect(result.succeeded).toBe(279)
  expect(result.failures.map(({ reason }) => reason)).toEqual([
    'Unknown job',
    ...Array.from({ length: 20 }, () => 'The head node does not respond'),
  ])
})

it('stops on request and leaves the remaining rows', async () => {
  let ended = 0
  const result = await runBulk(
    work(async () => {}),
    { onProgress: (count) => (ended = count), isStopped: () => ended >= 37 },
  )
  expect(result.succeeded + result.left.length).toBe(300)
  expect(result.succeeded).toBeLessThan(45)
})

it('stops silently when the user does not confirm the password', async () => {
  const result = await runBulk(
    work(async () => {
      throw refused('', 403)
    }),
    quietly,
  )
  expect(result).toMatchObject({ succeeded: 0, failures: [] })
  expect(result.left.length).toBeGreaterThan(290)
})
