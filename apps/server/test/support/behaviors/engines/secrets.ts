import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { begins, enginePid, files, listener, openWorkspace, planned, type Subject } from './subject'

const notATemplate = '${file("/etc/passwd")} %{ if true }yes%{ endif } $${kept}'

async function everyFile(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}

/** Secrets must be visible neither to users nor to other processes. */
function itShowsNoSecret(subject: Subject): void {
  it('keeps secrets out of events, arguments, plans and files, and passes the engine no other environment', async () => {
    process.env.FLOTILLA_OWN_SECRET = 'only for the server'
    onTestFinished(() => void delete process.env.FLOTILLA_OWN_SECRET)
    const { workspace, options } = await openWorkspace(subject, {
      slow: true,
      variables: { note: 'the-key-of-a-credential' },
    })
    const events = listener()
    await workspace.init(events)
    await workspace.plan({}, events)
    const plan = JSON.stringify(await workspace.showPlan())
    const applying = workspace.apply(events)
    await events.until(begins('terraform_data.slow'))

    const pid = await enginePid(options.folder)
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8')
    expect(environment).toContain('CLOUD_ACCESS_KEY=the-key-of-a-credential')
    expect(environment).toContain(`HOME=${options.folder}`)
    expect(environment).not.toContain('only for the server')
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    await applying

    const hidden = ['the-key-of-a-credential', files.secretVariables.secret, options.passphrase]
    const contents = await Promise.all(
      (await everyFile(options.folder))
        // This variable contains the key on purpose.
        .filter((file) => !file.endsWith('cluster.auto.tfvars.json'))
        .map((file) => readFile(file, 'latin1')),
    )
    for (const secret of hidden) {
      expect(command).not.toContain(secret)
      expect(events.texts()).not.toContain(secret)
      expect(plan).not.toContain(secret)
      expect(contents.filter((text) => text.includes(secret))).toEqual([])
    }
    expect(await workspace.outputs()).toMatchObject({ note: '(redacted)' })
  })
}

/** What must not be visible, and what must stay as it was typed. */
export function secretBehaviors(subject: Subject): void {
  describe(`${subject.name}: secrets`, () => {
    it('keeps what users type literally, even if it looks like an expression', async () => {
      const { workspace } = await openWorkspace(subject, {
        variables: { note: notATemplate, nodes: { node1: { size: notATemplate } } },
        secretVariables: { secret: notATemplate, texts: { node1: notATemplate } },
      })
      await workspace.init({})
      await workspace.plan({}, {})
      await workspace.apply({})
      expect(await workspace.outputs()).toEqual({
        // The same text is also a secret, so it is redacted.
        note: '(redacted)',
        nodes: { node1: { size: '(redacted)' } },
      })
      const { workspace: plain } = await planned(subject, { variables: { note: notATemplate } })
      await plain.apply({})
      expect(await plain.outputs()).toMatchObject({ note: notATemplate })
    })

    itShowsNoSecret(subject)

    it('stores everything with permissions for the server only', async () => {
      const { workspace, options } = await planned(subject)
      await workspace.apply({})
      expect((await stat(options.folder)).mode & 0o777).toBe(0o700)
      const modes = await Promise.all(
        (await everyFile(options.folder)).map(async (file) => (await stat(file)).mode & 0o077),
      )
      expect(new Set(modes)).toEqual(new Set([0]))
    })

    it('passes secrets that are too large for an environment variable', async () => {
      const big = { node1: 'x'.repeat(200_000), node2: `${notATemplate}${'y'.repeat(200_000)}` }
      const { workspace } = await planned(subject, { secretVariables: { texts: big } })
      await workspace.apply({})
      expect((await workspace.resources()).length).toBe(4)
    })

    it('cannot read its state with another passphrase', async () => {
      const { workspace, options } = await planned(subject)
      await workspace.apply({})
      const { tofuOf } = await import('./subject')
      const other = (await tofuOf(subject)).workspace({ ...options, passphrase: 'another one, just as long' })
      await expect(other.resources()).rejects.toMatchObject({ code: 'failed' })
    })
  })
}
