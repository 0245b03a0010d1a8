import { expect, it } from 'vitest'
import { chartData } from './chart-data'
import { sshCommand } from '../connection/ssh-command'

const MINUTE = 60_000
const point = (minute: number, loadAvg: number) => ({
  cluster_id: 'c',
  cpus: 8,
  loadAvg,
  time: minute * MINUTE,
})

it('breaks the line where nothing was recorded', () => {
  const [times, loads, cores] = chartData([point(0, 1), point(1, 2), point(30, 3)])
  expect(times).toEqual([0, 60, 60.001, 1800])
  expect(loads).toEqual([1, 2, null, 3])
  expect(cores).toEqual([8, 8, null, 8])
})

it('builds an SSH command that can be pasted', () => {
  expect(sshCommand({ host: 'a.org', port: 22 }, 'ada')).toBe('ssh -i ada.pem ada@a.org')
  expect(sshCommand({ host: 'a.org', port: 2222 }, 'ada')).toBe('ssh -i ada.pem -p 2222 ada@a.org')
})
