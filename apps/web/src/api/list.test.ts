import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { fetchAllOlder, fetchOlder } from './list'

it('loads older rows even when a change arrives during the request', async () => {
  const client = new QueryClient()
  const requested: number[] = []
  let release = (): void => {}
  const observer = new InfiniteQueryObserver<number>(client, {
    queryKey: ['list'],
    queryFn: async ({ pageParam, signal }) => {
      requested.push(pageParam as number)
      if (requested.length === 2) await new Promise<void>((resolve) => (release = resolve))
      signal.throwIfAborted()
      return pageParam as number
    },
    initialPageParam: 0,
    getNextPageParam: (last) => last + 1,
  })
  const stop = observer.subscribe(() => {})
  await observer.refetch()
  requested.length = 1

  const older = fetchOlder(1, () => observer.fetchNextPage({ cancelRefetch: false }))
  await expect.poll(() => requested).toEqual([0, 1])
  const changed = client.invalidateQueries({ queryKey: ['list'] })
  release()
  await Promise.all([older, changed])
  expect(observer.getCurrentResult().data?.pages).toEqual([0, 1])
  stop()
})

it('loads all older rows page by page, and stops at the end or when a page fails', async () => {
  const load = (last: number, broken = Infinity) => {
    const pages = [0]
    const fetchNext = async () => {
      const isError = pages.length === broken
      if (!isError && pages.length <= last) pages.push(pages.length)
      return { data: { pages }, isError, hasNextPage: pages.length <= last }
    }
    return fetchAllOlder(1, fetchNext).then(() => pages.length)
  }
  expect(await load(12)).toBe(13)
  expect(await load(12, 5)).toBe(5)
})
