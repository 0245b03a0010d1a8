import { api } from '@flotilla/contract/api'
import type { Page } from '@playwright/test'
import { probeScript } from '../apps/server/test/support/apps/probe-app'
import { expect, test } from './support/fixtures'
import { call, newPerson, openLive, logIn } from './support/people'
import { inspect } from './support/screen'

const sessions = (page: Page) => page.getByRole('list', { name: 'Sessions' })
const start = async (page: Page, name: string) => {
  await page.getByRole('button', { name: `Start ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: `Start ${name}` })
  await dialog.getByText('This machine').click()
  return dialog
}

/** Attempts the attacks that a hostile app's page could make and returns their results. */
const attack = (page: Page, consoleUrl: string, otherApp: string) =>
  page.evaluate(
    async ([home = '', other = '']) => {
      const request = (url: string, init: RequestInit) =>
        fetch(url, init).then(
          async (response) => `${response.type} ${response.status} ${(await response.text()).slice(0, 50)}`,
          () => 'refused',
        )
      const frame = document.createElement('iframe')
      frame.src = home
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
      document.body.append(frame)
      await loaded
      let framed = 'refused'
      try {
        framed = frame.contentWindow?.localStorage.getItem('flotilla.token') ?? 'nothing'
      } catch {
        // The same-origin policy blocks this access.
      }
      return {
        cookie: document.cookie,
        opener: window.opener === null,
        storage: Object.keys(localStorage),
        api: await request(`${home}/api/clusters/`, { credentials: 'include' }),
        apiAsItself: await request('/api/clusters/', {}),
        other: await request(`${other}/echo`, { credentials: 'include' }),
        otherBlind: await request(`${other}/echo`, { credentials: 'include', mode: 'no-cors' }),
        framed,
      }
    },
    [consoleUrl, otherApp],
  )

test('an instructor defines an app, starts it, opens it and ends it', async ({
  page,
  context,
  server,
  picture,
}) => {
  const ada = await newPerson(server, ['instructor', 'user'])
  await openLive(page, server, ada, '/apps')
  await expect(page.getByText('No sessions yet')).toBeVisible()
  await expect(page.getByRole('listitem', { name: 'JupyterLab' })).toBeVisible()
  await inspect(page, picture, 'apps-empty')

  await page.getByRole('button', { name: 'New app' }).click()
  const form = page.getByRole('dialog', { name: 'New app' })
  await form.getByLabel('Name', { exact: true }).fill('Probe')
  await form.getByLabel('Icon').selectOption('Flask')
  await form.getByLabel('Description').fill('Tells what it gets.')
  await expect(form.getByRole('list', { name: 'Preview' })).toContainText('Tells what it gets.')
  await form.getByLabel('Readiness check').fill('ready')
  await form.getByRole('button', { name: 'Create app' }).click()
  await expect(form.getByText('Enter a path that begins with /')).toBeVisible()
  await inspect(page, picture, 'apps-form', ['desk', 'phone'])
  await form.getByLabel('Readiness check').fill('/ready')
  await form.getByLabel('Expected status').fill('204')
  const script = form.getByRole('textbox', { name: 'Script', exact: true })
  await script.click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(probeScript)
  await form.getByRole('button', { name: 'Create app' }).click()
  await expect(page.getByText('App created')).toBeVisible()

  const dialog = await start(page, 'Probe')
  await inspect(page, picture, 'apps-start', ['desk', 'phone'])
  await dialog.getByRole('button', { name: 'Start' }).click()
  const card = sessions(page).getByRole('listitem', { name: 'Probe' })
  await expect(card.getByText('Ready')).toBeVisible({ timeout: 180_000 })
  await inspect(page, picture, 'apps-session')

  // Another user's session, which the first session must not be able to access.
  const eve = await newPerson(server)
  const { token } = await logIn(server, eve)
  const [probe] = (await call(server, api.apps.list, {}, token)).filter(({ name }) => name === 'Probe')
  const [machine] = (await call(server, api.clusters.list, {}, token)).filter(
    ({ name }) => name === 'This machine',
  )
  const launch = { app: probe?.id ?? '', cluster: machine?.id ?? '' }
  const other = await call(server, api.appSessions.launch, { body: launch }, token)
  await expect
    .poll(async () => (await call(server, api.appSessions.view, { id: other.id }, token)).state, {
      timeout: 180_000,
    })
    .toBe('ready')

  const opened = context.waitForEvent('page')
  await card.getByRole('button', { name: 'Open Probe' }).click()
  const tab = await opened
  await expect(tab.getByText('"method":"GET"')).toBeVisible()
  expect(new URL(tab.url()).search).toBe('')
  const found = await attack(tab, server.url, `http://${other.id}.localhost:${server.port}`)
  expect(found).toMatchObject({
    opener: true,
    storage: [],
    api: 'refused',
    other: 'refused',
    framed: 'refused',
  })
  expect(found.cookie).toBe('a=1; b=2')
  expect(found.apiAsItself).toContain('"url":"/api/clusters/"')
  expect(found.otherBlind).toMatch(/^(opaque|refused)/)
  await tab.close()

  await card.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Open here' }).click()
  await expect(page.frameLocator('iframe[title="Probe"]').getByText('"method":"GET"')).toBeVisible()
  // The app must not be able to read the user's clipboard.
  await expect(page.locator('iframe[title="Probe"]')).toHaveAttribute('allow', 'clipboard-write; fullscreen')
  await inspect(page, picture, 'apps-view', ['desk'])
  await page.getByRole('button', { name: 'Back to sessions' }).click()

  await card.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Log' }).click()
  await expect(page.getByRole('log', { name: 'Probe log' })).toContainText('listening')
  await inspect(page, picture, 'apps-log', ['desk'])
  await page.keyboard.press('Escape')

  await card.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'End', exact: true }).click()
  await page.getByRole('button', { name: 'End session' }).click()
  await expect(card.getByText('Ended')).toBeVisible()

  // Users without the instructor role find apps on a cluster's page.
  await openLive(page, server, eve, `/clusters/${launch.cluster}/apps`)
  await expect(sessions(page).getByRole('listitem', { name: 'Probe' }).getByText('Ready')).toBeVisible()
  await inspect(page, picture, 'cluster-apps', ['desk', 'phone'])
})
