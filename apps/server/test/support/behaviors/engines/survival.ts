import { truncate } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runScript } from '../../console/script'
import { until } from '../../until'
import { begins, reasonOf, enginePid, files, listener, planned, tofuOf, type Subject } from './subject'

const lives = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** How an engine handles cancellation and kills. */
export function survivalBehaviors(subject: Subject): void {
  describe(`${subject.name}: survival`, () => {
    it('ends gracefully when canceled, and records everything that it has created', async () => {
      const { workspace } = await planned(subject, { slow: true })
      const events = listener()
      const cancel = new AbortController()
      const refusal = reasonOf(workspace.apply({ ...events, cancel: cancel.signal }))
      await events.until(begins('terraform_data.slow'))
      cancel.abort()
      expect(await refusal).toMatchObject({ code: 'canceled' })
      const known = (await workspace.resources()).map((one) => one.address)
      expect(known).toContain('terraform_data.first')
      expect(known).not.toContain('terraform_data.node["node1"]')
      expect(await workspace.plan({}, {})).toEqual({ changes: true })
      expect(await workspace.recover({}, {})).toMatchObject({ ending: 'none' })
    })

    it('does not start a run that was canceled already', async () => {
      const { workspace } = await planned(subject)
      await expect(workspace.apply({ cancel: AbortSignal.abort() })).rejects.toMatchObject({
        code: 'canceled',
      })
      expect(await workspace.resources()).toEqual([])
      expect(workspace.hasPlan()).toBe(true)
    })

    it('continues when no server is watching it, and can be followed again', async () => {
      const { workspace, again } = await planned(subject, { slow: true })
      const events = listener()
      const leave = new AbortController()
      const refusal = reasonOf(workspace.apply({ ...events, detach: leave.signal }))
      await events.until(begins('terraform_data.slow'))
      leave.abort()
      expect(await refusal).toMatchObject({ code: 'detached' })
      const later = listener()
      const from = events.events.at(-1)?.position ?? 0
      const recovery = await (await again()).recover({ from }, later)
      expect(recovery).toMatchObject({ operation: 'apply', ending: 'done', error: null, orphans: [] })
      expect(later.events[0]?.position).toBeGreaterThan(from)
      expect(await workspace.outputs()).toMatchObject({ note: 'hello' })
    })

    it('survives a kill of the server, which continues to follow it from the same position', async () => {
      const { options, again } = await planned(subject, { slow: true })
      const program = await subject.program({ slow: true })
      const server = await runScript('run-engine', {
        ENGINE: JSON.stringify({
          program,
          options,
          files: { ...files, variables: { ...files.variables, seconds: 4 } },
        }),
      })
      const line = await server.line('event terraform_data.slow start ')
      const from = Number(line.split(' ').at(-1))
      const pid = await enginePid(options.folder)
      await server.kill()
      expect(lives(pid)).toBe(true)

      const workspace = await again()
      expect(await workspace.inProgress()).toMatchObject({ operation: 'apply', alive: true })
      const events = listener()
      const recovery = await workspace.recover({ from }, events)
      expect(recovery).toMatchObject({ operation: 'apply', ending: 'done', error: null })
      expect(events.events.filter(begins('terraform_data.first'))).toEqual([])
      expect(events.events.filter(begins('terraform_data.node["node1"]')).length).toBe(1)
      expect(await workspace.inProgress()).toBe(null)
      expect((await workspace.resources()).length).toBe(4)
    })

    it('reports the result of a run that ended while no server was running', async () => {
      const { options, again } = await planned(subject)
      const program = await subject.program({ slow: false })
      const server = await runScript('run-engine', {
        ENGINE: JSON.stringify({ program, options, files, stopAt: 'terraform_data.first' }),
      })
      await server.line('hangs')
      const pid = await enginePid(options.folder)
      await until(() => !lives(pid))
      await server.kill()
      const events = listener()
      const workspace = await again()
      expect(await workspace.recover({}, events)).toMatchObject({ operation: 'apply', ending: 'done' })
      expect(events.events.filter(begins('terraform_data.first')).length).toBe(1)
      expect(workspace.hasPlan()).toBe(false)
    })

    it('reports that the engine was killed, and can continue', async () => {
      const { workspace, options } = await planned(subject, { slow: true })
      const events = listener()
      const refusal = reasonOf(workspace.apply(events))
      await events.until(begins('terraform_data.slow'))
      process.kill(await enginePid(options.folder), 'SIGKILL')
      expect(await refusal).toMatchObject({ code: 'killed' })
      expect(await workspace.plan({}, {})).toEqual({ changes: true })
      await workspace.apply({})
      expect((await workspace.resources()).length).toBe(4)
    })

    it('recovers when both the server and the engine were killed', async () => {
      const { options, again } = await planned(subject, { slow: true })
      const program = await subject.program({ slow: true })
      const server = await runScript('run-engine', {
        ENGINE: JSON.stringify({
          program,
          options,
          files: { ...files, variables: { ...files.variables, seconds: 4 } },
        }),
      })
      await server.line('event terraform_data.slow start ')
      const pid = await enginePid(options.folder)
      await server.kill()
      process.kill(pid, 'SIGKILL')
      const workspace = await again()
      const recovery = await workspace.recover({}, {})
      expect(recovery).toMatchObject({ operation: 'apply', ending: 'killed', refreshed: true })
      expect(recovery.error?.code).toBe('killed')
      // The state is written at the end, so what was created before is known only from the engine's output.
      expect(recovery.orphans).toEqual([
        { address: 'terraform_data.first', id: expect.any(String) },
        { address: 'terraform_data.slow', id: null },
      ])
      expect(await workspace.plan({}, {})).toEqual({ changes: true })
      await workspace.apply({})
    })

    it('restores the previous state if a kill left an empty one', async () => {
      const { workspace } = await planned(subject)
      await workspace.apply({})
      await workspace.plan({ replace: ['terraform_data.slow'] }, {})
      await workspace.apply({})
      // The engine truncates the file before it writes it.
      await truncate(path.join(workspace.folder, 'terraform.tfstate'), 0)
      expect(await workspace.resources()).toEqual([])
      expect(await workspace.recover({}, {})).toMatchObject({
        ending: 'none',
        stateMended: true,
        refreshed: true,
      })
      expect((await workspace.resources()).length).toBe(4)
    })

    it('kills an engine that ignores signals', async () => {
      const { options } = await planned(subject, { slow: true })
      const tofu = await tofuOf(subject, { slow: true, timeouts: { interruptMs: 0, againMs: 0 } })
      const workspace = tofu.workspace(options)
      await workspace.write({ ...files, variables: { ...files.variables, seconds: 4 } })
      const events = listener()
      const cancel = new AbortController()
      const refusal = reasonOf(workspace.apply({ ...events, cancel: cancel.signal }))
      await events.until(begins('terraform_data.slow'))
      cancel.abort()
      expect(await refusal).toMatchObject({ code: 'canceled' })
    })
  })
}
