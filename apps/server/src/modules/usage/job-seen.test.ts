import { expect, it } from 'vitest'
import { asSeen } from './job-seen'

const record = { id: '1', name: 'a', user: 'ada', state: 'ended', nodes: 4, cores: 4, gpus: 0, startTime: 0 }
const nodesOf = (nodeList: string) =>
  asSeen({ ...record, nodeList }, { sizeOf: new Map() }, { recorded: true }).nodeList

it('writes names with several brackets out, in which no node would be found', () => {
  expect(nodesOf('rack[1-2]n[1-2],login')).toBe('rack1n1,rack1n2,rack2n1,rack2n2,login')
})

it('leaves every other list as it is', () => {
  for (const list of ['n[1-3,7],gpu[1-2]', 'n1,n2', '']) expect(nodesOf(list)).toBe(list)
})
