import { expect, it } from 'vitest'
import { changePermissionsRecursively, TOO_LONG } from './change-recursively'

type Tree = { [name: string]: string | Tree }
/** A file tree: files with their permissions, folders as objects, and a link. */
const tree: Tree = {
  data: { 'in.dat': 'rw-------', 'run.sh': 'rwx------', deep: { 'a.txt': 'rw-r--r--' }, out: 'link' },
}
const at = (path: string): Tree =>
  path.split('/').reduce<Tree>((inside, name) => (inside[name] as Tree | undefined) ?? {}, tree)
const entriesOf = (folder: Tree) =>
  Object.entries(folder).map(([name, what]) =>
    typeof what === 'object'
      ? { name, type: 'folder' as const, permissions: 'rwx------' }
      : { name, type: what === 'link' ? ('link' as const) : ('file' as const), permissions: what },
  )

const run = async (permissions: number, { refuses = '', most = 100, stopAt = Infinity, long = '' } = {}) => {
  const changed: [string, string][] = []
  const stop = new AbortController()
  const outcome = await changePermissionsRecursively('', entriesOf(tree), permissions, {
    list: async (path) => ({ entries: entriesOf(at(path)), truncated: path === long }),
    permit: async (paths, bits) => {
      if (paths.includes(refuses)) throw new Error('Not yours')
      for (const path of paths) changed.push([path, bits.toString(8)])
    },
    describe: (error) => (error instanceof Error ? error.message : ''),
    onProgress: (count) => count >= stopAt && stop.abort(),
    signal: stop.signal,
    most,
  })
  return { ...outcome, count: outcome.changed, changed }
}

it('changes all contents except links, and makes no file executable that was not', async () => {
  const { changed, failures } = await run(0o755)
  expect(Object.fromEntries(changed)).toEqual({
    data: '755',
    'data/in.dat': '644',
    'data/run.sh': '755',
    'data/deep': '755',
    'data/deep/a.txt': '644',
  })
  expect(failures).toEqual([])
})

it('changes a folder’s contents before it removes the permission to enter the folder', async () => {
  expect((await run(0o000)).changed.map(([path]) => path)).toEqual([
    'data/run.sh',
    'data/in.dat',
    'data/deep/a.txt',
    'data/deep',
    'data',
  ])
  expect((await run(0o700)).changed[0]).toEqual(['data', '700'])
})

it('continues after a failure and reports it', async () => {
  const { failures, count } = await run(0o755, { refuses: 'data/deep' })
  expect(failures).toEqual([{ path: 'data/deep', reason: 'Not yours' }])
  expect(count).toBe(4)
})

it('stops when aborted or at its limit, and reports folders it could not list in full', async () => {
  expect((await run(0o755, { stopAt: 2 })).count).toBe(2)
  expect(await run(0o755, { most: 3 })).toMatchObject({ count: 3, limited: true })
  expect((await run(0o755, { long: 'data/deep' })).failures).toEqual([
    { path: 'data/deep', reason: TOO_LONG },
  ])
})
