import { api } from '@flotilla/contract/api'
import { parts } from '../scripts/parts/parts.mjs'
import { SOAK, expect, test } from './support/fixtures'
import { openApp } from './support/open-app'
import { call, logIn, newPerson, openLive } from './support/people'

const program = parts.find(({ name }) => name === 'code-server')?.find() ?? ''

test(
  'a user edits and saves a file in code-server',
  { tag: SOAK },
  async ({ page, context, server, picture }) => {
    const ada = await newPerson(server, ['instructor', 'user'])
    const { token } = await logIn(server, ada)
    const [machine] = (await call(server, api.clusters.list, {}, token)).filter(
      ({ name }) => name === 'This machine',
    )
    const cluster = machine?.id ?? ''
    const script = `mkdir -p ~/.local/bin && ln -s '${program}' ~/.local/bin/code-server && echo before >notes.txt && mv notes.txt ~`
    const job = await call(server, api.jobs.create, { body: { name: 'install', data: { script } } }, token)
    await call(server, api.jobs.submit, { body: { id: job.id, cluster } }, token)
    await expect
      .poll(async () => (await call(server, api.jobs.view, { id: job.id }, token)).lastSubmission?.state)
      .toBe('completed')

    await openLive(page, server, ada, '/apps')
    const code = await openApp(page, context, 'code-server')
    // The editor receives the folder listing over a WebSocket.
    await code.getByRole('treeitem', { name: 'notes.txt' }).dblclick({ timeout: 180_000 })
    await code.locator('.monaco-editor .view-line').first().click()
    await code.keyboard.press('ControlOrMeta+A')
    await code.keyboard.type('written in the browser')
    await code.keyboard.press('ControlOrMeta+S')
    await picture('apps-code-server', code)
    await expect
      .poll(
        async () =>
          (await call(server, api.files.readText, { cluster, query: { path: 'notes.txt' } }, token)).text,
      )
      .toBe('written in the browser')
  },
)
