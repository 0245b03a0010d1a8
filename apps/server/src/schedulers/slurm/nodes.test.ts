import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { countNodes } from '../counts'
import type { NodeInfo } from '../scheduler'
import { readNodes } from './nodes'
import { nodeState } from './nodes-state'

const recorded = (name: string) =>
  readFileSync(
    path.join(import.meta.dirname, '../../../test/support/schedulers/slurm-recordings', name),
    'utf8',
  )

test('the state of a node is down, offline, busy or available, whichever applies first', () => {
  const states: Record<NodeInfo['state'], string[]> = {
    available: ['IDLE', 'IDLE+PLANNED', 'IDLE-', 'IDLE+CLOUD'],
    busy: [
      'ALLOCATED',
      'MIXED',
      'MIXED+PLANNED',
      'IDLE+COMPLETING',
      'ALLOCATED+CLOUD+NOT_RESPONDING+POWERING_UP',
      'MIXED#',
    ],
    down: [
      'DOWN',
      'DOWN*',
      'IDLE*',
      'DOWN+DRAIN',
      'MIXED+NOT_RESPONDING',
      'IDLE+FAIL',
      'DOWN+CLOUD+POWERED_DOWN',
      'ERROR',
    ],
    offline: [
      'IDLE+DRAIN',
      'MIXED+DRAIN',
      'DRAINED',
      'IDLE$',
      'IDLE+MAINT',
      'IDLE~',
      'IDLE+CLOUD+POWERED_DOWN',
      'IDLE+CLOUD+POWERING_DOWN',
      'IDLE%',
    ],
    unknown: ['UNKNOWN', 'FUTURE', ''],
  }
  for (const [state, natives] of Object.entries(states))
    for (const native of natives) expect(nodeState(native.split('+')).state, native).toBe(state)
  expect(nodeState(['IDLE', 'CLOUD', 'POWERED_DOWN']).note).toBe('not started')
  expect(nodeState(['MIXED', 'CLOUD', 'POWERING_UP']).note).toBe('starting')
})

test('the recorded JSON of nodes and that of newer Slurm versions are read', () => {
  const [first] = readNodes(recorded('sinfo.json'))
  expect(first).toMatchObject({
    name: 'n01',
    state: 'busy',
    cores: 4,
    coresUsed: 3,
    gpus: 2,
    gpusUsed: 1,
    load: 2.46,
    partitions: ['batch'],
  })
  const cloud = readNodes(recorded('sinfo-cloud.json'))
  expect(countNodes(cloud)).toMatchObject({ offline: 4, available: 2, total: 6 })
  expect(cloud[0]).toMatchObject({ note: 'not started', load: undefined, memoryFreeMb: undefined })
  expect(countNodes(readNodes(recorded('sinfo-down-drain.json')))).toMatchObject({ down: 1, available: 3 })
  const newer = {
    name: 'x',
    state: ['MIXED', 'DRAIN'],
    cpus: 8,
    alloc_cpus: 2,
    free_mem: { set: true, number: 100 },
    partitions: ['a', 'b'],
  }
  expect(readNodes(JSON.stringify({ nodes: [newer] }))).toMatchObject([
    { state: 'offline', coresUsed: 2, memoryFreeMb: 100, partitions: ['a', 'b'] },
  ])
})

test("scontrol's line about a node is read correctly despite a hostile reason", () => {
  const line =
    'NodeName=n3 Arch=x86_64 CoresPerSocket=1  CPUAlloc=1 CPUEfctv=4 CPUTot=4 CPULoad=N/A Gres=gpu:a100:2 GresUsed=gpu:a100:1(IDX:0) ' +
    'OS=Linux 6.1 #1 SMP  RealMemory=4000 AllocMem=0 FreeMem=N/A State=MIXED+DRAIN ThreadsPerCore=1 Partitions=batch,gpu  ' +
    'CfgTRES=cpu=4,mem=4000M,billing=4 Reason=State=IDLE CPUTot=99 [x] [root@1794718290]'
  expect(readNodes(`${line}\n${line.replace('n3', 'n4')}\n`)).toMatchObject([
    {
      name: 'n3',
      state: 'offline',
      cores: 4,
      coresUsed: 1,
      gpus: 2,
      gpusUsed: 1,
      partitions: ['batch', 'gpu'],
      note: 'its jobs run to completion',
    },
    { name: 'n4', reason: 'State=IDLE CPUTot=99 [x]' },
  ])
})

test('an invalid number is read as 0', () => {
  const line = 'NodeName=n1 CPUTot=many CPUAlloc=1e999 RealMemory=? FreeMem=-Infinity CPULoad=NaN State=IDLE'
  expect(readNodes(line)).toMatchObject([
    { name: 'n1', cores: 0, coresUsed: 0, memoryMb: 0, memoryFreeMb: 0, load: 0 },
  ])
})
