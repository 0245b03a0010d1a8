import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { makeCgroup, prepared, ranOutOfMemory } from './cgroup'

// The tests use plain folders with the kernel's files: few machines let a test change their control groups.

const group = async (folder: string, controllers: string) => {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'cgroup.controllers'), `${controllers}\n`)
  await writeFile(path.join(folder, 'cgroup.subtree_control'), '\n')
}

test('groups are only created where memory and processes can be limited', async () => {
  const folder = await testFolder()
  await group(folder, 'hugetlb')
  expect(prepared(folder, 'flotilla')).toBeNull()
  await group(folder, 'cpu memory pids')
  await group(path.join(folder, 'flotilla'), 'memory pids')
  expect(prepared(folder, 'flotilla')).toBe(path.join(folder, 'flotilla'))
  for (const each of [folder, path.join(folder, 'flotilla')])
    expect(await readFile(path.join(each, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids')
})

test('a group has the limits of its job and reports when the job ran out of memory', async () => {
  const folder = path.join(await testFolder(), 'job-1')
  expect(makeCgroup(folder, { memoryMb: 100, processes: 50, fileSize: true })).toBe(folder)
  expect(await readFile(path.join(folder, 'memory.max'), 'utf8')).toBe(String(100 * 1024 ** 2))
  expect(await readFile(path.join(folder, 'pids.max'), 'utf8')).toBe('50')
  expect(ranOutOfMemory(folder)).toBe(false)
  await writeFile(path.join(folder, 'memory.events'), 'low 0\noom 1\noom_kill 3\noom_group_kill 1\n')
  expect(ranOutOfMemory(folder)).toBe(true)
})
