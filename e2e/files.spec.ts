import { api } from '@flotilla/contract/api'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, newPerson, open, openLive, type Person } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

const MB = 1_000_000

/** All tests use the files of one user on This machine. */
let server: Server
let person: Person
test.beforeAll(async ({ server: shared }) => {
  server = shared
  person = await newPerson(server)
})

const table = (page: Page) => page.getByRole('table', { name: 'Files' })
const row = (page: Page, name: string) => table(page).getByRole('row', { name: new RegExp(`${name}\\b`) })
const act = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}
const enter = async (page: Page, label: string, name: string, confirm: string) => {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(label).fill(name)
  await dialog.getByRole('button', { name: confirm }).click()
  await expect(dialog).toHaveCount(0)
}
const newFolder = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Folder' }).click()
  await enter(page, 'Name', name, 'Create folder')
  await expect(row(page, name)).toBeVisible()
}
const download = async (page: Page, begin: () => Promise<unknown>) => {
  const coming = page.waitForEvent('download')
  await begin()
  const file = await coming
  return { name: file.suggestedFilename(), path: await file.path() }
}

test('a user uploads, reads, changes, renames, moves, downloads and deletes files', async ({
  page,
  picture,
}) => {
  await openLive(page, server, person, '/files')
  await expect(page.getByLabel('Area')).toContainText('This machine')
  await newFolder(page, 'inputs')
  await row(page, 'inputs').getByRole('link', { name: 'inputs' }).click()
  await expect(page.getByText('This folder is empty')).toBeVisible()
  await inspect(page, picture, 'files-empty', ['desk'])

  // Files are uploaded by path, because Playwright is slow at copying large buffers to the browser.
  const source = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-upload-'))
  const big = randomBytes(20 * MB)
  await writeFile(path.join(source, 'notes.txt'), 'first line\n')
  await writeFile(path.join(source, 'big.bin'), big)
  const pieces: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().includes('/upload?')) pieces.push(request.url())
  })
  await page
    .getByLabel('Files to upload')
    .setInputFiles([path.join(source, 'notes.txt'), path.join(source, 'big.bin')])
  await expect(page.getByText('2 of 2 done')).toBeVisible()
  await expect(row(page, 'notes.txt')).toContainText('11 B')
  await expect(row(page, 'big.bin')).toContainText('20 MB')
  expect(pieces.filter((url) => url.includes('big.bin')).length).toBeGreaterThan(2)
  await inspect(page, picture, 'files-uploaded')
  await page.getByRole('button', { name: 'Clear finished' }).click()
  const whole = await download(page, () => act(page, 'big.bin', 'Download'))
  expect((await readFile(whole.path)).equals(big)).toBe(true)

  await row(page, 'notes.txt').getByRole('link', { name: 'notes.txt' }).click()
  const text = page.getByRole('textbox', { name: 'Contents of notes.txt' })
  await expect(text).toContainText('first line')
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await text.click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('second line')
  await inspect(page, picture, 'file-edit', ['desk'])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('File saved')).toBeVisible()
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'inputs' }).click()
  await row(page, 'notes.txt').getByRole('link', { name: 'notes.txt' }).click()
  await expect(text).toContainText('second line')
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'inputs' }).click()

  await act(page, 'notes.txt', 'Rename')
  await enter(page, 'New name', 'readme.txt', 'Rename')
  await expect(row(page, 'readme.txt')).toBeVisible()
  await expect(row(page, 'notes.txt')).toHaveCount(0)

  await newFolder(page, 'kept')
  await act(page, 'readme.txt', 'Move')
  const dialog = page.getByRole('dialog', { name: 'Move readme.txt' })
  await dialog.getByRole('list', { name: 'Folders' }).getByRole('button', { name: 'kept' }).click()
  await dialog.getByRole('button', { name: 'Move here' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(row(page, 'readme.txt')).toHaveCount(0)

  const archive = await download(page, () => act(page, 'kept', 'Download as .tar.gz'))
  expect(archive.name).toBe('kept.tar.gz')
  const { stdout } = await promisify(execFile)('tar', ['-xzOf', archive.path, '--wildcards', '*readme.txt'])
  expect(stdout).toBe('first line\nsecond line')

  await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'This machine' }).click()
  await act(page, 'inputs', 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('File Deleted')).toBeVisible()
  await expect(row(page, 'inputs')).toHaveCount(0)
  await rm(source, { recursive: true })
})

test('typed text is kept when the page refetches its data', { tag: SOAK }, async ({ page }) => {
  // Without a socket, the page refetches every few seconds.
  await page.routeWebSocket(/socket\.io/, (socket) => socket.close())
  const { token } = await open(page, server, person, '/files')
  const [machine] = await call(server, api.clusters.list, {}, token)
  const cluster = machine?.id ?? ''
  await call(server, api.files.writeText, { cluster, body: { path: 'draft.txt', text: 'first line' } }, token)
  await page.goto(`${server.url}/files?area=${cluster}&file=draft.txt`)
  const text = page.getByRole('textbox', { name: 'Contents of draft.txt' })
  await expect(text).toContainText('first line')
  await text.click()
  // The click put the cursor at an arbitrary position.
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.type('second line ')
  for (let times = 0; times < 2; times++)
    await page.waitForResponse((response) => new URL(response.url()).pathname === api.clusters.list.path)
  await expect(text).toContainText('second line first line')
  await expect(page.getByText('Unsaved changes')).toBeVisible()
})

test(
  'a user uploads folders by button and by drop, including empty ones, and changes permissions recursively',
  { tag: SOAK },
  async ({ page, picture }) => {
    const source = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-folders-'))
    for (const name of ['chosen/in', 'dropped/in', 'dropped/empty/deep'])
      await mkdir(path.join(source, name), { recursive: true })
    for (const name of ['chosen/in/a.txt', 'chosen/b.txt', 'dropped/in/c.txt'])
      await writeFile(path.join(source, name), name)
    await openLive(page, server, person, '/files')
    await expect(page.getByRole('button', { name: 'Upload folder' })).toBeVisible()
    await page.getByLabel('Folder to upload').setInputFiles(path.join(source, 'chosen'))
    await expect(page.getByText('2 of 2 done')).toBeVisible()
    await row(page, 'chosen').getByRole('link', { name: 'chosen' }).click()
    await expect(row(page, 'b.txt')).toContainText('12 B')
    await expect(row(page, 'in')).toBeVisible()

    // Only a drag by the browser itself includes folders.
    const browser = await page.context().newCDPSession(page)
    const data = { items: [], files: [path.join(source, 'dropped')], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await browser.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })
    await expect(page.getByText('3 of 3 done')).toBeVisible()
    await inspect(page, picture, 'files-upload-panel')
    await row(page, 'dropped').getByRole('link', { name: 'dropped' }).click()
    await row(page, 'empty').getByRole('link', { name: 'empty' }).click()
    await expect(row(page, 'deep')).toBeVisible()

    await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'chosen' }).click()
    await act(page, 'dropped', 'Permissions')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Octal').fill('710')
    await dialog.getByLabel('Also change everything inside').check()
    await inspect(page, picture, 'files-permissions-inside')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Permissions changed for 5 items')).toBeVisible()
    await row(page, 'dropped').getByRole('link', { name: 'dropped' }).click()
    await expect(row(page, 'in')).toContainText('rwx--x---')
    await row(page, 'in').getByRole('link', { name: 'in' }).click()
    await expect(row(page, 'c.txt')).toContainText('rw-------')
    await rm(source, { recursive: true })
  },
)

test('a rejected upload shows the reason', { tag: SOAK }, async ({ page, picture }) => {
  const { token } = await openLive(page, server, person, '/files')
  await newFolder(page, 'removed')
  await row(page, 'removed').getByRole('link', { name: 'removed' }).click()
  await expect(page.getByText('This folder is empty')).toBeVisible()
  const [machine] = await call(server, api.clusters.list, {}, token)
  await call(server, api.files.remove, { cluster: machine?.id ?? '', body: { paths: ['removed'] } }, token)
  await page
    .getByLabel('Files to upload')
    .setInputFiles([{ name: 'big.bin', mimeType: 'application/octet-stream', buffer: randomBytes(5 * MB) }])
  await expect(page.getByText('The folder “removed” does not exist.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try removed/big.bin again' })).toBeVisible()
  await inspect(page, picture, 'files-upload-refused')
})

test(
  'links are followed with the user’s own rights, and places, permissions, long files and odd names are shown',
  { tag: SOAK },
  async ({ page, picture }) => {
    const { token } = await openLive(page, server, person, '/files')
    const [machine] = await call(server, api.clusters.list, {}, token)
    const id = machine?.id ?? ''
    const script = `#!/bin/bash
cd; ln -s /usr/share scratch; ln -s /etc/shadow secret; ln -s /etc/passwd names
seq -f 'line %.0f' 200000 > long.txt; touch $'new\nline'
`
    const job = await call(server, api.jobs.create, { body: { name: 'links', data: { script } } }, token)
    await call(server, api.jobs.submit, { body: { id: job.id, cluster: id } }, token)
    await page.goto(`${server.url}/jobs/${job.id}`)
    await expect(page.getByText(/Completed on This machine/)).toBeVisible()

    await page.goto(`${server.url}/files`)
    await expect(row(page, 'scratch')).toContainText('link to a folder')
    await expect(table(page)).toContainText('new␊line')
    await row(page, 'scratch').getByRole('link').click()
    await expect(page.getByRole('navigation', { name: 'Folder' })).toContainText('scratch')
    await expect(table(page).getByRole('row').nth(1)).toBeVisible()
    await page.goto(`${server.url}/files?area=${id}&file=secret`)
    await expect(page.getByRole('main')).toContainText('"secret" is not accessible to this account')

    await page.goto(`${server.url}/files?area=${id}&file=long.txt`)
    await expect(page.getByText('Read-only: too long to edit here.')).toBeVisible()
    await expect(page.getByLabel('Contents of long.txt')).toContainText('line 1')
    await page.getByRole('button', { name: 'Last page' }).click()
    await expect(page.getByText(/Showing from 2\.\d MB of 2\.\d MB/)).toBeVisible()
    await inspect(page, picture, 'files-long')

    const places = { body: { id, places: ['/usr/lib'] } }
    await call(server, api.clusters.places, places, await adminToken(server))
    await page.goto(`${server.url}/files?area=${id}`)
    await act(page, 'long.txt', 'Permissions')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Octal').fill('640')
    await expect(dialog.getByLabel('Group: read')).toBeChecked()
    await dialog.getByLabel('Others: read').check()
    await expect(dialog.getByLabel('Octal')).toHaveValue('644')
    await dialog.getByLabel('Owner: execute').check()
    await inspect(page, picture, 'files-permissions')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(row(page, 'long.txt')).toContainText('rwxr--r--')

    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: '/usr/lib' }).click()
    await expect(page.getByRole('navigation', { name: 'Folder' })).toContainText('/usr/lib')
    await expect(table(page).getByRole('row').nth(1)).toBeVisible()
    await inspect(page, picture, 'files-place', ['desk'])
  },
)
