import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  buildExecutor,
  exists,
  startExecutor,
  type TestExecutor,
} from '../../test/support/schedulers/executor'
import {
  executorPerson,
  outputOf,
  submitAs,
  type ExecutorPerson,
} from '../../test/support/schedulers/executor-people'
import { until } from '../../test/support/until'
import { soakIt } from '../../test/support/soak'
import { pids } from './processes'

// Only root can start jobs under other people's accounts; without root this file is skipped.

let program: string[]
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ program, remove } = await buildExecutor())
})
afterAll(() => remove())

const nodes = [{ name: 'n1', cores: 8, gpus: 0 }]
let marks = 0

/** Runs `attempts` as `attacker` while a job of the victim is running, and returns the output. */
async function attack(
  executor: TestExecutor,
  attacker: ExecutorPerson | null,
  victim: ExecutorPerson,
  more = '',
): Promise<string> {
  // The unique duration identifies the victim's process.
  const nap = `${6000 + marks++}.${process.pid}`
  const running = await submitAs(
    executor,
    victim,
    `export SECRET=of-the-victim; echo mine >private; exec sleep ${nap}`,
  )
  const pid = await until(() => sleeper(nap))
  const script = `${attempts(executor, victim, pid)}${more}`
  const id = await (attacker ? submitAs(executor, attacker, script) : executor.submit({ script }))
  await executor.ended(id)
  expect(await executor.detail(running)).toMatchObject({ state: 'running' })
  await executor.execute(executor.scheduler.cancel(running))
  await executor.ended(running)
  return attacker ? outputOf(attacker) : executor.output()
}

async function sleeper(nap: string): Promise<number | undefined> {
  for (const pid of pids())
    if ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) === `sleep\0${nap}\0`) return pid
  return undefined
}

/** Each attempt prints its BREACH line only if it succeeds. */
const attempts = (executor: TestExecutor, victim: ExecutorPerson, pid: number) => `
data=${path.join(executor.folder, 'data')}
ls ${executor.spool} && echo BREACH spool
cat ${executor.spool}/journal && echo BREACH journal
cat $data/master.key && echo BREACH key
cat $data/secrets/token && echo BREACH secret
ls ${victim.home} && echo BREACH home
cat ${victim.home}/job/private && echo BREACH file
cat ${victim.home}/job/out && echo BREACH output
cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep SECRET= && echo BREACH environment
kill -0 ${pid} && echo BREACH signal
cat $(ls -d /tmp/flotilla-[0-9]*/script | grep -v "$0") </dev/null | grep SECRET && echo BREACH script
echo finished
`

const breaches = (printed: string) => [...printed.matchAll(/^BREACH (\w+)$/gm)].map(([, what]) => what)

async function secrets(executor: TestExecutor, owner: number): Promise<void> {
  const data = path.join(executor.folder, 'data')
  await mkdir(path.join(data, 'secrets'), { recursive: true })
  await writeFile(path.join(data, 'master.key'), 'k\n', { mode: 0o600 })
  await writeFile(path.join(data, 'secrets', 'token'), 't\n', { mode: 0o644 })
  await chmod(path.join(data, 'secrets'), 0o700)
  for (const file of ['', 'master.key', 'secrets', 'secrets/token'])
    await chown(path.join(data, file), owner, owner)
}

describe('under root', () => {
  test('a job can neither read files nor signal processes of other people', async () => {
    const executor = await startExecutor(program, nodes)
    await secrets(executor, 0)
    const anna = await executorPerson(executor, 'anna', 790_001)
    const ben = await executorPerson(executor, 'ben', 790_002)
    const printed = await attack(executor, anna, ben)
    expect(printed).toContain('finished')
    expect(printed).not.toContain('BREACH')
    // Proves that the attempts work: as root, chosen by an admin, those that no namespace prevents succeed.
    expect(breaches(await attack(executor, null, ben))).toEqual([
      'spool',
      'journal',
      'key',
      'secret',
      'home',
      'file',
      'output',
    ])
  })

  test('a job runs as its user without supplementary groups and cannot gain privileges', async () => {
    const executor = await startExecutor(program, nodes)
    const anna = await executorPerson(executor, 'anna', 790_001)
    await executor.ended(
      await submitAs(
        executor,
        anna,
        'id -u; id -G; grep NoNewPrivs /proc/self/status; umask; pwd; echo $HOME $USER',
      ),
    )
    expect(await outputOf(anna)).toBe(
      `790001\n790001\nNoNewPrivs:\t1\n0077\n${anna.home}/job\n${anna.home} anna\n`,
    )
    await expect(submitAs(executor, { ...anna, uid: 0 }, 'id')).rejects.toMatchObject({
      code: 'not_permitted',
    })

    // Root does not write on its behalf either: the job's output is a symlink to another user's file.
    const target = path.join(executor.folder, 'precious')
    await writeFile(target, 'as it was', { mode: 0o600 })
    await symlink(target, path.join(anna.home, 'trap'))
    const id = await submitAs(executor, anna, 'echo harm', { stdoutPath: path.join(anna.home, 'trap') })
    expect(await executor.ended(id)).toMatchObject({ ending: 'failed' })
    expect(await readFile(target, 'utf8')).toBe('as it was')
  })

  soakIt('the wall time also ends orphaned processes that left the session', async () => {
    const executor = await startExecutor(program, nodes)
    const anna = await executorPerson(executor, 'anna', 790_001)
    const script = `(setsid bash -c 'trap "" TERM; while :; do date +%s%N >alive; sleep 0.05; done' &); echo up; sleep 60`
    const id = await submitAs(executor, anna, script, { walltime: '00:00:01' })
    expect(await executor.ended(id)).toMatchObject({ ending: 'timed_out' })
    const file = path.join(anna.home, 'job', 'alive')
    const last = await readFile(file, 'utf8')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await readFile(file, 'utf8')).toBe(last)
    expect(await exists(file)).toBe(true)
  })

  test('jobs of users are rejected where the kernel denies namespaces, as in many containers', async () => {
    const less = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--']
    const executor = await startExecutor([...less, ...program], nodes)
    const anna = await executorPerson(executor, 'anna', 790_001)
    await expect(submitAs(executor, anna, 'id')).rejects.toMatchObject({ code: 'not_permitted' })
    const id = await executor.submit({ script: 'id -u' })
    await executor.ended(id)
    expect(await executor.output()).toBe('0\n')
  })
})

describe('without root', () => {
  const owner = 790_003
  const less = ['setpriv', `--reuid=${owner}`, `--regid=${owner}`, '--clear-groups', '--']

  test('a job under the server’s account sees neither DATA_DIR nor other people’s files and processes', async () => {
    // Not in /tmp: the job has its own /tmp.
    const fixed = await mkdtemp('/var/tmp/flotilla-test-')
    onTestFinished(() => rm(fixed, { recursive: true }))
    await chown(fixed, owner, owner)
    const fences = (folder: string) => ({ hide: [path.join(folder, 'data')], readOnly: [fixed] })
    const executor = await startExecutor([...less, ...program], nodes, { owner, fences })
    await secrets(executor, owner)
    const anna = await executorPerson(executor, 'anna', owner)
    const ben = await executorPerson(executor, 'ben', owner)
    const data = path.join(executor.folder, 'data')
    const uncover = `touch ${fixed}/x && echo BREACH program\numount ${data} && echo BREACH\nunshare -Urm umount ${data} && echo BREACH\nls -A ~; id -u\n`
    const printed = await attack(executor, anna, ben, uncover)
    expect(printed).toContain('finished')
    expect(printed).not.toContain('BREACH')
    expect(printed).toMatch(/job\n790003\n$/)
    // A job without a user is not sandboxed, so its attempts succeed.
    expect(breaches(await attack(executor, null, ben))).toEqual([
      'spool',
      'journal',
      'key',
      'secret',
      'home',
      'file',
      'output',
      'environment',
      'signal',
    ])
    await expect(submitAs(executor, { ...anna, uid: 790_001, gid: 790_001 }, 'id')).rejects.toMatchObject({
      code: 'not_permitted',
    })
  })

  test('jobs of users are rejected until the folders to hide are configured', async () => {
    const executor = await startExecutor([...less, ...program], nodes, { owner })
    const anna = await executorPerson(executor, 'anna', owner)
    await expect(submitAs(executor, anna, 'id')).rejects.toMatchObject({ code: 'not_permitted' })
  })
})
