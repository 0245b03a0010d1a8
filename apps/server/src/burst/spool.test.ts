import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { testFolder } from '../../test/support/folder'
import { testLocal } from '../../test/support/machines/local'
import { acknowledge, readRequests, completed, nodeTargets } from './spool'

const written = (action: string, nodes: string[], jobs: unknown = null) =>
  JSON.stringify({ action, time: 1_794_730_787_000, nodes, jobs })

async function spool(files: Record<string, string>) {
  const folder = path.join(await testFolder(), 'requests')
  await mkdir(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  return { files: testLocal().files(folder), names: async () => (await readdir(folder)).toSorted() }
}

test('requests are read in order, with the jobs that wait for them; drafts are ignored', async () => {
  const { files } = await spool({
    '1794730849179194601-51.json': written('suspend', ['node2']),
    '1794730787953522570-814.json': written('resume', ['node1', 'node2'], {
      jobs: [{ job_id: 7, nodes: 'node[1-2]' }],
      all_nodes: 'node[1-2]',
    }),
    '.1794730899179194601-52.new': '{"action":"res',
  })
  const { requests, unreadable } = await readRequests(files)
  expect(requests.map(({ action, nodes, jobs }) => [action, nodes, jobs])).toEqual([
    ['resume', ['node1', 'node2'], [7]],
    ['suspend', ['node2'], []],
  ])
  expect(unreadable).toEqual([])
})

test('the latest request for a node wins', async () => {
  const { files } = await spool({
    '1-1.json': written('resume', ['node1', 'node2']),
    '2-1.json': written('suspend', ['node1']),
    '3-1.json': written('resume', ['node3']),
  })
  const { requests } = await readRequests(files)
  expect(nodeTargets(requests).map(({ node, action }) => [node, action])).toEqual([
    ['node1', 'suspend'],
    ['node2', 'resume'],
    ['node3', 'resume'],
  ])
})

test('a request is removed only when it is done for all of its nodes', async () => {
  const { files, names } = await spool({
    '1-1.json': written('resume', ['node1', 'node2']),
    '2-1.json': written('suspend', ['node1']),
  })
  const { requests } = await readRequests(files)
  await acknowledge(files, completed(requests, new Set(['node1'])))
  expect(await names()).toEqual(['1-1.json'])
  await acknowledge(files, completed(requests, new Set(['node1', 'node2'])))
  expect(await names()).toEqual([])
  // A server that died right after it acknowledged a request does so again.
  await acknowledge(files, ['1-1.json'])
})

test('an unreadable request is reported and kept, and does not block the others', async () => {
  const { files, names } = await spool({
    '1-1.json': '',
    '2-1.json': written('explode', ['node1']),
    '3-1.json': written('resume', ['node1; reboot']),
    '4-1.json': written('resume', ['node4']),
  })
  const { requests, unreadable } = await readRequests(files)
  expect(requests.map(({ nodes }) => nodes)).toEqual([['node4']])
  expect(unreadable).toEqual(['1-1.json', '2-1.json', '3-1.json'])
  expect(await names()).toHaveLength(4)
  await acknowledge(files, unreadable)
  expect(await names()).toEqual(['4-1.json'])
})

test('a request that another server removes in the meantime is skipped', async () => {
  const { files } = await spool({
    '1-1.json': written('resume', ['node1']),
    '2-1.json': written('resume', ['node2']),
  })
  const slow = {
    ...files,
    readText: async (name: string, options: { maxBytes: number }) => {
      if (name === '1-1.json') await files.remove(name)
      return files.readText(name, options)
    },
  }
  expect((await readRequests(slow)).requests.map(({ nodes }) => nodes)).toEqual([['node2']])
})
