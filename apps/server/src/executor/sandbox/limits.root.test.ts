import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildExecutor, startExecutor, type TestExecutor } from '../../../test/support/schedulers/executor'
import { executorPerson, outputOf, submitAs } from '../../../test/support/schedulers/executor-people'
import { variants, soakIt } from '../../../test/support/soak'
import { until } from '../../../test/support/until'
import { cmdline, pids, processOf } from '../processes'
import type { VirtualNode } from '../../schedulers/builtin'

// As root, the executor gives every user their own account; otherwise they share the executor's. Root tests both modes.

let program: string[]
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ program, remove } = await buildExecutor())
})
afterAll(() => remove())

const owner = 790_013

const modes: [string, number | undefined][] = [
  ['under root', undefined],
  ['without root', owner],
]
describe.each(variants(modes))('%s, a job', (_, own) => {
  const start = (node: Partial<VirtualNode>, diskMb?: number): Promise<TestExecutor> => {
    const less =
      own === undefined ? [] : ['setpriv', `--reuid=${own}`, `--regid=${own}`, '--clear-groups', '--']
    const fences = (folder: string) => ({ hide: [path.join(folder, 'data')] })
    const nodes = [{ name: 'n1', cores: 4, gpus: 0, ...node }]
    return startExecutor([...less, ...program], nodes, { owner: own, fences, diskMb })
  }
  const people = async (executor: TestExecutor) => {
    const anna = await executorPerson(executor, 'anna', own ?? 790_011)
    const ben = await executorPerson(executor, 'ben', own ?? 790_012)
    return { anna, ben }
  }

  test('whose processes together exceed its memory limit is stopped with that reason', async () => {
    const executor = await start({ memoryMb: 800 })
    const { anna, ben } = await people(executor)
    const idle = await submitAs(executor, ben, 'sleep 60')
    // The job's share of 800 MB on four cores is 200 MB; no single process uses that much.
    const take = `perl -e 'my $x = "x" x 60_000_000; sleep 60' &`
    const id = await submitAs(executor, anna, `${`${take}\n`.repeat(6)}wait`)
    expect(await executor.ended(id)).toMatchObject({
      ending: 'failed',
      reason: expect.stringContaining('more than its 200 MB of memory'),
    })
    expect(await executor.detail(idle)).toMatchObject({ state: 'running' })
    // If one process allocates far too much at once, the kernel denies it before the periodic check.
    const greedy = await submitAs(executor, anna, `perl -e 'my $x = "x" x 1_500_000_000'`)
    expect(await executor.ended(greedy)).toMatchObject({ ending: 'failed' })
    expect(await outputOf(anna)).toMatch(/Out of memory/i)
  })

  soakIt('whose processes share memory has it counted only once', async () => {
    const executor = await start({ memoryMb: 800 })
    const { anna } = await people(executor)
    const share = `perl -e 'my $x = "x" x 60_000_000; for (1 .. 6) { fork or last } select undef, undef, undef, 3'`
    expect(await executor.ended(await submitAs(executor, anna, share))).toMatchObject({ ending: 'succeeded' })
  })

  test('that is a fork bomb is limited, does not block other jobs, and is gone after canceling', async () => {
    const executor = await start({ processes: 60 })
    const { anna, ben } = await people(executor)
    const nap = `${7000 + Math.random()}`
    // It retries forever, as a fork bomb does.
    const bomb = `for i in $(seq 200); do sleep ${nap} & done 2>/dev/null; echo full; while :; do sleep ${nap} & sleep 0.05; done`
    const id = await submitAs(executor, anna, bomb)
    const bombs = () => pids().filter((pid) => processOf(pid)?.state !== 'Z' && cmdline(pid).includes(nap))
    await until(() => bombs().length > 20)
    const other = await submitAs(executor, ben, 'echo fine')
    expect(await executor.ended(other)).toMatchObject({ ending: 'succeeded' })
    expect(bombs().length).toBeLessThan(80)
    await executor.execute(executor.scheduler.cancel(id))
    await executor.ended(id)
    await until(() => bombs().length === 0)
  })

  test('cannot write a file that is larger than the free disk space', async () => {
    const executor = await start({}, 64)
    const { anna } = await people(executor)
    const id = await submitAs(executor, anna, 'exec dd if=/dev/zero of=big bs=1M count=1000')
    expect(await executor.ended(id)).toMatchObject({
      ending: 'failed',
      reason: expect.stringContaining('larger than the free disk space'),
    })
    const { bavail, bsize } = await statfs(executor.folder)
    // A quarter of 64 MB stays free, except for what the executor itself has written.
    expect(bavail * bsize).toBeGreaterThan(12 * 1024 ** 2)
  })

  soakIt(
    'that fills the disk with many files is stopped; other jobs continue, and new ones are rejected',
    async () => {
      const executor = await start({}, 2048)
      const { anna, ben } = await people(executor)
      const idle = await submitAs(executor, ben, 'echo before; sleep 60')
      const fill = 'for i in $(seq 10000); do head -c 4000000 /dev/zero >file-$i || exit; done'
      const id = await submitAs(executor, anna, fill)
      expect(await executor.ended(id)).toMatchObject({
        ending: 'failed',
        reason: expect.stringContaining('nearly full'),
      })
      expect(await executor.detail(idle)).toMatchObject({ state: 'running' })
      const { bavail, bsize } = await statfs(executor.folder)
      expect(bavail * bsize).toBeGreaterThan(10 * 1024 ** 2)
      await expect(submitAs(executor, ben, 'true')).rejects.toMatchObject({ code: 'disk_full' })
    },
  )
})
