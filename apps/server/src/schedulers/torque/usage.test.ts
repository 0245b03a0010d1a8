import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { torque } from '../torque'
import { exec } from '../../../test/support/exec'
import { testFolder } from '../../../test/support/folder'
import { recorded } from '../../../test/support/schedulers/torque/recordings'

const DAY = Date.UTC(2026, 10, 15)
const HOUR = 3_600_000

/** A server's folder with the recorded log of its day. */
async function home(): Promise<string> {
  const folder = await testFolder()
  const logs = path.join(folder, 'server_priv/accounting')
  await mkdir(logs, { recursive: true })
  await writeFile(path.join(logs, '20261115'), recorded('accounting.log'))
  return folder
}
const usage = async (folder: string, from: number, to: number) => {
  const [query] = torque.usage(from, to)
  return query && query.parse(await exec(query.argv, { env: { PBS_HOME: folder } }))?.records
}

test('every ended job is read from the accounting log, accurate to the second', async () => {
  const jobs = (await usage(await home(), DAY, DAY + 24 * HOUR)) ?? []
  // The log has one E record per ended job.
  expect(jobs).toHaveLength(recorded('accounting.log').match(/;E;/g)?.length ?? 0)
  expect(jobs.find(({ id }) => id === '19.head')).toEqual({
    id: '19.head',
    name: 'multi',
    user: 'alice',
    state: 'canceled',
    nodes: 2,
    cores: 4,
    gpus: 0,
    nodeList: 'tn02,tn01',
    startTime: 1_794_712_101_000,
    endTime: 1_794_712_134_000,
  })
  expect(jobs.find(({ id }) => id === '10.head')).toMatchObject({ cores: 1, gpus: 1, nodes: 1 })
  expect(jobs.find(({ id }) => id === '23[2].head')).toMatchObject({ arrayId: '23[].head', cores: 1 })
  expect(jobs.find(({ id }) => id === '24.head')).toMatchObject({ state: 'failed' })
  // Compares the durations with Torque's own wall times, which nodes measure and the server rounds.
  const ends = recorded('accounting.log')
    .split('\n')
    .filter((line) => line.includes(';E;'))
  for (const [index, line] of ends.entries()) {
    const { startTime, endTime = 0 } = jobs[index] ?? { startTime: 0 }
    const [, clock = ''] = /resources_used\.walltime=(\S+)/.exec(line) ?? []
    const walltime = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
    expect(Math.abs((endTime - startTime) / 1000 - walltime), line).toBeLessThanOrEqual(1)
  }
})

test('only jobs that ended in the requested time range are read', async () => {
  const end = 1_794_712_134_000
  const folder = await home()
  expect(await usage(folder, end, end + HOUR)).toMatchObject([{ id: '19.head' }])
  expect(await usage(folder, end + 1000, end + HOUR)).toEqual([])
})

test('a server without a readable log has no records', async () => {
  expect(await usage(await testFolder(), DAY, DAY + HOUR)).toBeUndefined()
})

test('the folder of a Torque that was built for another one is read from tracejob', async () => {
  const [bin, folder] = [await testFolder(), await home()]
  const tracejob = path.join(bin, 'tracejob')
  // Without a job, tracejob prints its usage and exits with 1.
  await writeFile(
    tracejob,
    `#!/bin/sh\necho 'USAGE: tracejob [-a] <JOBID>'\necho 'default prefix path = ${folder}'\nexit 1\n`,
  )
  await chmod(tracejob, 0o755)
  const [query] = torque.usage(DAY, DAY + 24 * HOUR)
  const result = query && (await exec(query.argv, { env: { PATH: `${bin}:${process.env.PATH}` } }))
  expect(result && query.parse(result)?.records.length).toBeGreaterThan(0)
})

test('an account string that contains another user’s name or an end time does not change the record', () => {
  const [query] = torque.usage(DAY, DAY + HOUR)
  const stdout =
    '11/15/2026 03:08:02;E;8.head;user=alice group=alice account=x user=bob end=1794712081 jobname=hello queue=batch ' +
    'start=1794712081 exec_host=tn01/0-1 total_execution_slots=2 unique_node_count=1 end=1794712091 Exit_status=0\n'
  expect(query?.parse({ code: 0, stdout, stderr: '' })?.records).toMatchObject([
    { user: 'alice', endTime: 1_794_712_091_000 },
  ])
})
