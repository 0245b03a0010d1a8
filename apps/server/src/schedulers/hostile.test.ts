import { expect, it } from 'vitest'
import { queuedJob } from '../../test/support/app/queued-job'
import { withinReason } from './bounds'
import { placed } from './placement'
import type { NodeInfo, QueuedJob } from './scheduler'
import { readCompletions } from './slurm/completion-log'
import { readNodes } from './slurm/nodes'
import { time } from './slurm/values'
import { readJobs } from './torque/jobs'
import { hiddenReason } from './torque/server'

// Any user may attach their own resource manager, which may report anything.

const torqueJob = (inside: string) => `<Data><Job><Job_Id>1.head</Job_Id>${inside}</Job></Data>`

it('limits implausibly large numbers and long texts', () => {
  const [job] = readJobs(
    torqueJob(
      `<job_state>H</job_state><euser>${'u'.repeat(9000)}</euser><comment>${'c'.repeat(9000)}</comment>` +
        `<Resource_List><nodes>1:ppn=99999999999</nodes><nodect>-5</nodect></Resource_List><qtime>1e15</qtime>`,
    ),
  )
  expect(job).toMatchObject({ nodes: 0, cores: 10_000_000, submitTime: undefined })
  expect(job?.user).toHaveLength(256)
  expect(job?.nativeReason).toHaveLength(4096)
  expect(hiddenReason(`${'x'.repeat(1_000_000)}\n`)?.length).toBeLessThan(1000)
})

it('recognizes a manager with a long account name from a directory', () => {
  const account = String.raw`CORP\firstname.lastname-of-the-department`
  const server = (managers: string) => `${account}\nServer: head\n    managers = ${managers}@head\n`
  expect(hiddenReason(server(account))).toBeNull()
  expect(hiddenReason(server(account.slice(0, 32)))).toContain(`Torque shows ${account} only`)
})

it('reads an unknown Torque state as blocked, even if it is named like an object property', () => {
  expect(readJobs(torqueJob('<job_state>constructor</job_state>'))).toMatchObject([{ state: 'blocked' }])
})

it('ignores invalid timestamps', () => {
  expect(['0.0001', '1e15', '-1', 'many', '0'].map(time)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(time('1700000000')).toBe(1_700_000_000_000)
})

it('rejects XML whose nested element names alone would fill the memory', () => {
  const deep = 60_000
  expect(() => readJobs(torqueJob('<a>'.repeat(deep) + 'x</a>'.repeat(deep)))).toThrow('not its own')
})

it('ignores the rest of a node’s line that is longer than Slurm writes', () => {
  expect(readNodes(`NodeName=a${' '.repeat(5_000_000)}CPUTot=4`)).toMatchObject([{ name: 'a', cores: 0 }])
})

it('rejects jobs that together run on implausibly many nodes', () => {
  const jobs = Array.from({ length: 10_000 }, (_, id) =>
    queuedJob({ id: String(id), state: 'running', nodeList: 'n[0-99999]' }),
  )
  expect(() => placed([], jobs)).toThrow('implausible')
})

it('ignores only the nodes of jobs for which a user’s own account reports too many nodes', () => {
  const node: NodeInfo = {
    name: 'cn00001',
    state: 'busy',
    nativeState: '',
    note: '',
    cores: 4,
    coresUsed: 0,
    gpus: 0,
    gpusUsed: 0,
    memoryMb: 0,
    partitions: [],
    reason: '',
  }
  const running = (id: string, nodeList: string, reportedBy?: string) =>
    queuedJob({ id, state: 'running', nodeList, ...(reportedBy !== undefined && { reportedBy }) })
  const places = (jobs: QueuedJob[]) => placed([node], jobs)[0]?.jobs
  const lists = ['cn[1-999999]', 'cn[00001-99999][1-99999]', '['.repeat(100_000)]
  expect(
    places([
      ...lists.map((list, index) => running(`forged ${index}`, list, 'mallory')),
      ...Array.from({ length: 100 }, () => running('many', 'cn[00002-99999]', 'mallory')),
      running('late', 'cn[00001-10000]', 'mallory'),
      running('hers', 'cn[00001-10000]', 'ada'),
      running('own', 'cn[00001-10000]'),
    ]),
  ).toEqual(['hers', 'own'])
  for (const list of lists) expect(() => places([running('1', list)])).toThrow('implausible')
})

it('truncates counts to whole numbers and replaces characters that the database rejects', () => {
  const cut = `mallory@${'x'.repeat(247)}\u{1f600}`
  const job = withinReason({ nodes: 1.5, cores: 0.5, gpus: -0.5, user: cut, name: 'a\0b\ud83d \u{1f600}' })
  expect(job).toEqual({
    nodes: 1,
    cores: 0,
    gpus: 0,
    user: `mallory@${'x'.repeat(247)}\ufffd`,
    name: 'a\ufffdb\ufffd \u{1f600}',
  })
})

it('does not backtrack on a line with thousands of repeated keys', () => {
  const words = ' Name= JobState=A  NodeList=x NodeCnt=1 ProcCnt=1 WorkDir='.repeat(3000)
  const { records, gaps } = readCompletions(`S 0\nR 1 2 JobId=1 UserId=a(1) GroupId=${words}\n`, 10_000)
  expect(records).toEqual([])
  expect(gaps).toEqual([{ from: 1000, to: 2000 }])
})
