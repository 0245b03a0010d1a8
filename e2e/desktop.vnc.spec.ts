import { api } from '@flotilla/contract/api'
import type { Locator, Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { thisMachine } from './support/local-cluster'
import { adminToken, call, newPerson, open, openLive, type Person } from './support/people'
import { inspect } from './support/screen'
import { startServer, type Server } from './support/server'

let server: Server
let machine: string
let ada: Person
let token: string
test.beforeAll(async () => {
  server = await startServer()
  machine = await thisMachine(server)
  ada = await newPerson(server)
})
test.afterAll(() => server.stop())

const view = (page: Page) => page.getByRole('region', { name: /^Desktop o[nf] / })
const canvas = (page: Page): Locator => view(page).locator('canvas')
const expectConnected = (page: Page) =>
  expect(view(page).getByText('Connected', { exact: true })).toBeVisible()
/** How many colors the desktop shows. */
const colors = (page: Page): Promise<number> =>
  canvas(page).evaluate((element) => {
    if (!(element instanceof HTMLCanvasElement)) return 0
    const data = element.getContext('2d')?.getImageData(0, 0, element.width, element.height).data ?? []
    const all = new Set<number>()
    for (let at = 0; at < data.length; at += 4)
      all.add(((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0))
    return all.size
  })
const textOf = (path: string): Promise<string> =>
  call(server, api.files.readText, { cluster: machine, query: { path } }, token).then(
    ({ text }) => text,
    () => '',
  )
/** Types a command into the desktop's terminal window until it takes effect: the shell may still be starting. */
const typeUntil = (page: Page, line: string, path: string, wanted: RegExp) =>
  expect
    .poll(
      async () => {
        await canvas(page).click({ position: { x: 200, y: 200 } })
        await page.keyboard.type(`${line}\n`)
        await page.waitForTimeout(500)
        return textOf(path)
      },
      { intervals: [1000, 2000] },
    )
    .toMatch(wanted)
const sizeOf = (page: Page) =>
  canvas(page).evaluate((element) => {
    const box = element.parentElement?.getBoundingClientRect()
    return { drawn: (element as HTMLCanvasElement).width, room: Math.round(box?.width ?? 0) }
  })

test('a user works on a desktop, shares its clipboard, is watched, and keeps it over a restart of the console', async ({
  page,
  browser,
  picture,
}) => {
  await openLive(page, server, ada, `/clusters/${machine}`)
  token = (await call(server, api.auth.login, { body: ada })).token
  await page.getByRole('button', { name: 'Desktop' }).click()
  await expect(page.getByText('No desktop is running')).toBeVisible()
  await inspect(page, picture, 'desktop-empty', ['phone', 'desk'])
  await page.getByRole('button', { name: 'Start desktop' }).click()
  await expectConnected(page)
  await expect.poll(() => colors(page)).toBeGreaterThan(2)
  await typeUntil(page, 'kept=alive; echo got $kept > typed', 'typed', /got alive/)

  // The desktop is resized to the available space.
  await page.setViewportSize({ width: 1500, height: 900 })
  await expect.poll(async () => (await sizeOf(page)).drawn - (await sizeOf(page)).room).toBe(0)

  // Text copied to the desktop is pasted with the middle button, as usual in X.
  await page.getByRole('button', { name: 'Clipboard' }).click()
  const clipboard = page.getByRole('textbox', { name: 'Clipboard text' })
  await clipboard.fill('from the browser')
  await picture('desktop-clipboard')
  await page.getByRole('button', { name: 'Send to desktop' }).click()
  await canvas(page).click({ position: { x: 200, y: 200 } })
  await page.keyboard.type('cat > pasted\n')
  await canvas(page).click({ position: { x: 200, y: 200 }, button: 'middle' })
  // X requests the clipboard only when pasting, so keys that are typed at once may arrive before the text.
  const pastedText = async () => {
    await page.keyboard.type('\n')
    return textOf('pasted')
  }
  await expect.poll(pastedText).toContain('from the browser')
  await page.keyboard.press('Control+d')
  // Text selected on the desktop appears in the clipboard dialog.
  await page.keyboard.type('clear; yes copiedword | head -40\n')
  const close = page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last()
  // The dialog may open late and cover the desktop, so each step has a short timeout and is retried.
  const shortTimeout = { timeout: 2000 }
  await expect(async () => {
    // The dialog is still open when the text did not arrive in the previous attempt.
    if (await clipboard.isVisible()) await close.click(shortTimeout)
    await canvas(page).dblclick({ position: { x: 70, y: 200 }, ...shortTimeout })
    await page.getByRole('button', { name: 'Clipboard' }).click(shortTimeout)
    await expect(clipboard).toHaveValue('copiedword', shortTimeout)
  }).toPass()
  await close.click()

  // While an admin watches, the owner sees it at once and can end it.
  const other = await browser.newPage()
  await open(other, server, server.admin, `/clusters/${machine}/desktop`)
  await other.getByRole('button', { name: 'Watch' }).click()
  await expect(view(other).getByText('Watching')).toBeVisible()
  await expect.poll(() => colors(other)).toBeGreaterThan(2)
  await expect(page.getByText(/is watching your desktop/)).toBeVisible()
  await picture('desktop-watched')
  await picture('desktop-watching', other)
  await other.getByRole('button', { name: 'Take control' }).click()
  await expect(page.getByText(/is controlling your desktop/)).toBeVisible()
  await view(page).getByRole('button', { name: 'End', exact: true }).click()
  await expect(view(other).getByText('You were disconnected from this desktop')).toBeVisible()
  await expect(page.getByText(/is controlling your desktop/)).toBeHidden()
  await other.close()

  // The desktop survives a crash and restart of the console.
  await server.kill()
  await expect(view(page).getByText('Connection lost, reconnecting')).toBeVisible()
  await picture('desktop-lost')
  const { port, dataDir } = server
  server = await startServer({ port, dataDir })
  await expectConnected(page)
  await typeUntil(page, 'echo still $kept > survived', 'survived', /still alive/)

  await inspect(page, picture, 'desktop')

  await view(page).getByRole('button', { name: 'End desktop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End desktop' }).click()
  await expect(page.getByText('No desktop is running')).toBeVisible()
})

test(
  'with VNC passwords turned on, the viewer asks for the password that the page shows',
  { tag: SOAK },
  async ({ page, picture }) => {
    const admin = await adminToken(server)
    const body = { vncTokenAuthentication: false, vncRemoteClient: false }
    await call(server, api.settings.setCluster, { body }, admin)
    await open(page, server, ada, `/clusters/${machine}/desktop`)
    await page.getByRole('button', { name: 'Start desktop' }).click()
    const field = page.getByLabel('Desktop password', { exact: true })
    await field.fill('wrong')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(page.getByText('Wrong password.')).toBeVisible()
    await page.getByRole('button', { name: 'Connect again' }).click()
    await page.getByRole('button', { name: 'Show desktop password' }).click()
    const shown = await page.getByText(/^[0-9a-z]{8}$/).innerText()
    await picture('desktop-password')
    await field.fill(shown)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await expectConnected(page)
    await view(page).getByRole('button', { name: 'End desktop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End desktop' }).click()
    await expect(page.getByText('No desktop is running')).toBeVisible()
  },
)
