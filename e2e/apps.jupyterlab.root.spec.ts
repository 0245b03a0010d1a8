import { api } from '@flotilla/contract/api'
import { dirname } from 'node:path'
import { parts } from '../scripts/parts/parts.mjs'
import { SOAK, expect, test } from './support/fixtures'
import { openApp } from './support/open-app'
import { call, newPerson, openLive, logIn } from './support/people'

const program = parts.find(({ name }) => name === 'jupyterlab')?.find() ?? ''

test(
  'a user runs a cell and saves a file in JupyterLab',
  { tag: SOAK },
  async ({ page, context, server, picture }) => {
    const ada = await newPerson(server, ['instructor', 'user'])
    await openLive(page, server, ada, '/apps')
    const lab = await openApp(page, context, 'JupyterLab', dirname(dirname(program)))
    await lab.locator('.jp-LauncherCard[data-category="Notebook"]').first().click({ timeout: 120_000 })
    // JupyterLab drops cells that are run before the kernel is ready.
    await expect(lab.getByText('Python 3 (ipykernel) | Idle')).toBeVisible({ timeout: 120_000 })
    const cell = lab.locator('.jp-Notebook .jp-CodeCell .cm-content').first()
    await cell.click()
    await lab.keyboard.insertText('open("made-here.txt", "w").write("by a cell"); print(6 * 7)')
    await lab.keyboard.press('Shift+Enter')
    // The output arrives over a WebSocket.
    await expect(lab.locator('.jp-OutputArea-output').first()).toContainText('42', { timeout: 60_000 })
    await lab.keyboard.press('ControlOrMeta+S')
    await lab.locator('.jp-Dialog .jp-mod-accept').click()
    await picture('apps-jupyterlab', lab)

    const { token } = await logIn(server, ada)
    const [machine] = (await call(server, api.clusters.list, {}, token)).filter(
      ({ name }) => name === 'This machine',
    )
    const names = async () => {
      const listed = await call(server, api.files.list, { cluster: machine?.id ?? '' }, token)
      return listed.entries.map(({ name }) => name)
    }
    await expect.poll(names).toEqual(expect.arrayContaining(['made-here.txt', 'Untitled.ipynb']))
    // The next test on this server needs the session's core.
    for (const { id } of await call(server, api.appSessions.list, {}, token))
      await call(server, api.appSessions.end, { id }, token)
  },
)
