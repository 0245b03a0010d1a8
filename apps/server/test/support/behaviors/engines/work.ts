import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { listener, begins, openWorkspace, planned, tofuOf, files, enginePid, type Subject } from './subject'

const run = promisify(execFile)

/** A workspace from its first plan to its destruction. */
export function itDoesItsWork(subject: Subject): void {
  it('plans, shows the plan, applies it, returns outputs and resources, and destroys everything', async () => {
    const { workspace } = await openWorkspace(subject)
    await workspace.init({})
    expect(await workspace.plan({}, {})).toEqual({ changes: true })
    const changes = await workspace.showPlan()
    expect(changes.map(({ address, action }) => `${action} ${address}`).toSorted()).toEqual([
      'create terraform_data.first',
      'create terraform_data.node["node1"]',
      'create terraform_data.node["node2"]',
      'create terraform_data.slow',
    ])
    expect(changes.find((one) => one.key === 'node1')).toMatchObject({
      type: 'terraform_data',
      name: 'node',
      before: null,
      unknown: expect.arrayContaining(['id']),
    })

    const events = listener()
    await workspace.apply(events)
    expect(workspace.hasPlan()).toBe(false)
    const phases = events.events.filter((event) => event.change?.address === 'terraform_data.first')
    expect(phases.map((event) => event.change?.phase)).toEqual(['start', 'done'])
    expect(phases.at(-1)?.change?.id).toBeTruthy()
    const positions = events.events.map((event) => event.position)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))

    expect(await workspace.outputs()).toEqual({
      note: 'hello',
      nodes: { node1: { size: 'small' }, node2: { size: 'large' } },
    })
    expect(new Set((await workspace.resources()).map((one) => one.key))).toEqual(
      new Set([null, 'node1', 'node2']),
    )
    expect(await workspace.plan({}, {})).toEqual({ changes: false })

    expect(await workspace.plan({ destroy: true }, {})).toEqual({ changes: true })
    expect(new Set((await workspace.showPlan()).map((one) => one.action))).toEqual(new Set(['delete']))
    await workspace.apply({})
    expect(await workspace.resources()).toEqual([])
    expect(await workspace.recover({}, {})).toMatchObject({ operation: null, ending: 'none' })
  })
}

/** How an engine works without failures. */
export function workBehaviors(subject: Subject): void {
  describe(`${subject.name}: work`, () => {
    itDoesItsWork(subject)

    it('updates, creates and deletes only what has changed', async () => {
      const { workspace } = await planned(subject)
      await workspace.apply({})
      await workspace.write({
        ...files,
        variables: { ...files.variables, nodes: { node1: { size: 'huge' }, node3: { size: 'small' } } },
        secretVariables: { ...files.secretVariables, texts: { node1: 'one', node3: 'three' } },
      })
      await workspace.plan({}, {})
      const changes = (await workspace.showPlan()).filter((one) => one.action !== 'none')
      expect(changes.map(({ key, action }) => `${action} ${key}`).toSorted()).toEqual([
        'create node3',
        'delete node2',
        'update node1',
      ])
      await workspace.apply({})
      expect(await workspace.outputs()).toMatchObject({
        nodes: { node1: { size: 'huge' }, node3: { size: 'small' } },
      })
    })

    it('applies a saved plan only if nothing else has changed', async () => {
      const { workspace } = await planned(subject)
      await workspace.apply({})
      await workspace.plan({ destroy: true }, {})
      await workspace.forget(['terraform_data.node'], {})
      await expect(workspace.apply({})).rejects.toMatchObject({ code: 'stale' })
      // The forgotten resources are gone, and all others remain.
      expect((await workspace.resources()).map((one) => one.address).toSorted()).toEqual([
        'terraform_data.first',
        'terraform_data.slow',
      ])
      expect(await workspace.plan({}, {})).toEqual({ changes: true })
      await workspace.write({ ...files, variables: { ...files.variables, note: 'edited since' } })
      await expect(workspace.apply({})).rejects.toMatchObject({ code: 'stale' })
    })

    it('replaces one resource on request', async () => {
      const { workspace } = await planned(subject)
      await workspace.apply({})
      await workspace.plan({ replace: ['terraform_data.node["node1"]'] }, {})
      const changes = (await workspace.showPlan()).filter((one) => one.action !== 'none')
      expect(changes.map(({ key, action }) => `${action} ${key}`)).toEqual(['replace node1'])
      await workspace.apply({})
    })

    it('reports positions that continue from run to run', async () => {
      const { workspace } = await openWorkspace(subject)
      const events = listener()
      await workspace.init(events)
      await workspace.plan({}, events)
      await workspace.apply(events)
      const positions = events.events.map((event) => event.position)
      expect(new Set(positions).size).toBe(positions.length)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    })

    it('locks the workspace while it runs', async () => {
      const { workspace, again, options } = await planned(subject, { slow: true })
      const events = listener()
      const applying = workspace.apply(events)
      await events.until(begins('terraform_data.slow'))
      await expect((await again()).plan({}, {})).rejects.toMatchObject({ code: 'locked' })
      await expect((await again()).forceUnlock()).rejects.toMatchObject({ code: 'locked' })
      expect(await (await again()).inProgress()).toMatchObject({ operation: 'apply', alive: true })

      // The engine also has a lock of its own, besides the runner's.
      const { command, environment } = await subject.program({ slow: false })
      const [file = '', ...args] = command
      const other = run(file, [...args, 'state', 'rm', 'terraform_data.first'], {
        cwd: options.folder,
        env: { ...environment, ...(await environmentOf(options.folder)) },
      })
      await expect(other).rejects.toMatchObject({ code: 1 })
      await applying
    })

    it('respects the limit on concurrent engines', async () => {
      const tofu = await tofuOf(subject, { atOnce: 1 })
      const { options: one } = await openWorkspace(subject)
      const { options: two } = await openWorkspace(subject)
      const events = listener()
      const workspaces = [one, two].map((options) => tofu.workspace(options))
      await Promise.all(workspaces.map((workspace) => workspace.write(files)))
      await Promise.all(workspaces.map((workspace) => workspace.init({})))
      await Promise.all(workspaces.map((workspace) => workspace.plan({}, events)))
      // All events of one workspace come before those of the other.
      const starts = events.events.flatMap(({ position }, index) =>
        position < (events.events[index - 1]?.position ?? Infinity) ? [index] : [],
      )
      expect(starts.length).toBe(2)
    })
  })
}

/** The environment with which the running engine decrypts the state, read from the process itself. */
async function environmentOf(folder: string): Promise<Record<string, string>> {
  const { readFile } = await import('node:fs/promises')
  const text = await readFile(`/proc/${await enginePid(folder)}/environ`, 'utf8')
  const pairs = text.split('\0').filter(Boolean)
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}
