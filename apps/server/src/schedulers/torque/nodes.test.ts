import { expect, test } from 'vitest'
import { countNodes } from '../counts'
import { readNodes } from './nodes'
import { recorded, secondSite } from '../../../test/support/schedulers/torque/recordings'

test('the recorded nodes are read', () => {
  expect(readNodes(recorded('pbsnodes-x.xml'))).toMatchObject([
    {
      name: 'tn01',
      state: 'busy',
      cores: 4,
      coresUsed: 4,
      gpus: 2,
      memoryMb: 24066,
      memoryFreeMb: 20853,
      load: 2.83,
      jobs: ['19.head', '20.head', '23[3].head'],
    },
    { name: 'tn02', state: 'busy', reason: '', jobs: ['19.head', '23[1].head', '23[2].head'] },
  ])
  const drained = /root# pbsnodes -x\n(.*)/.exec(recorded('commands-and-errors.txt'))?.[1] ?? ''
  expect(readNodes(drained)[1]).toMatchObject({
    state: 'offline',
    nativeState: 'offline,job-exclusive',
    reason: 'maint',
  })
  const node = (state: string, power = 'Running') =>
    readNodes(
      `<Data><Node><name>a</name><state>${state}</state><power_state>${power}</power_state></Node></Data>`,
    )
  const states = [
    'free',
    'job-sharing',
    'busy',
    'down,offline',
    'offline',
    'state-unknown,down',
    'reserve',
  ].flatMap((state) => node(state))
  expect(states.map(({ state }) => state)).toEqual([
    'available',
    'busy',
    'busy',
    'down',
    'offline',
    'down',
    'unknown',
  ])
  expect(countNodes(states)).toEqual({ available: 1, busy: 2, down: 2, offline: 1, total: 7, unknown: 1 })
  expect(node('down', 'Standby')).toMatchObject([{ state: 'offline', note: 'not started' }])
})

const answerOf = (text: string) => text.split('\n').find((line) => line.startsWith('<')) ?? ''

test('a partly used node is available, and an old note is not shown as the reason for being down', () => {
  const [full, partly] = readNodes(answerOf(secondSite('pbsnodes-x.alice.txt')))
  expect(full).toMatchObject({
    state: 'busy',
    coresUsed: 4,
    jobs: ['59.head', '60.head', '61[1].head'],
    reason: '',
  })
  expect(partly).toMatchObject({
    state: 'available',
    cores: 4,
    coresUsed: 3,
    jobs: ['60.head', '61[2].head'],
    reason: '',
  })
  expect(readNodes(answerOf(secondSite('qdel-dead-mom.txt')))).toMatchObject([
    { state: 'available', coresUsed: 2, jobs: ['75.head'] },
    { state: 'down', reason: '' },
  ])
})

test('an invalid number is read as 0', () => {
  const xml = `<Data><Node><name>a</name><np>many</np><gpus>1e999</gpus><jobs>x-y/1.head</jobs><status>loadave=?</status></Node></Data>`
  expect(readNodes(xml)).toMatchObject([{ cores: 0, gpus: 0, coresUsed: 0, load: 0 }])
})
