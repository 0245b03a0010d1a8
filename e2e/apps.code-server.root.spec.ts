import { api } from '@flotilla/contract/api'
import { parts } from '../scripts/parts.mjs'
import { SOAK, expect, test } from './fixtures'
import { call, logIn, newPerson, openLive } from './people'

const program = parts.find(({ name }) => name === 'code-server')?.find() ?? ''

test('a file is saved in code-server', { tag: SOAK }, async ({ page, context, server, picture }) => {
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
  await page.getByRole('button', { name: 'Start code-server' }).click()
  const dialog = page.getByRole('dialog', { name: 'Start code-server' })
  await dialog.getByText('This machine').click()
  await dialog.getByRole('button', { name: 'Start' }).click()
  const card = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem', { name: 'code-server' })
  await expect(card.getByText('Ready')).toBeVisible({ timeout: 180_000 })

  const opened = context.waitForEvent('page')
  await card.getByRole('button', { name: 'Open code-server' }).click()
  const code = await opened
  // What the editor shows of the folder comes over a WebSocket.
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
})
