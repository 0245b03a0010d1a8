import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures'
import { newPerson, open } from './people'
import { inspect } from './screen'

/** Four by four pixels of one color. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGMwDL8KRwzEcQAtMhXRZmyMwgAAAABJRU5ErkJggg==',
  'base64',
)

const TEXT = [
  '## Your first job',
  '',
  'A job is a **script** that waits in a queue.',
  '',
  '> [!TIP]',
  '> Ask for what you need, and not for more.',
  '',
  '```bash',
  'sbatch hello.sh',
  '```',
  '',
  '| Command | What it does |',
  '|---|---|',
  '| squeue | lists jobs |',
  '',
  '<script>document.title = "hacked"</script> [no](javascript:alert(1))',
  '',
  '```quiz',
  'Which command submits a script?',
  '- [ ] scancel',
  '- [x] sbatch',
  '- [ ] squeue',
  '> It puts the script into the queue.',
  '```',
  '',
  '',
].join('\n')

const editor = (page: Page) => page.getByRole('textbox', { name: 'Text in Markdown' })
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
const chapters = (page: Page) => page.getByRole('list', { name: 'Chapters' }).getByRole('listitem')

test('an instructor writes a course, exports it, and imports it again', async ({ page, server, picture }) => {
  const maria = await newPerson(server, ['instructor', 'user'])
  await open(page, server, maria, '/courses')
  await expect(page.getByText('No courses yet')).toBeVisible()
  await inspect(page, picture, 'courses-empty')

  await page.getByRole('button', { name: 'New course' }).click()
  await page.getByRole('button', { name: 'Create course' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveAccessibleDescription('Enter a name')
  await page.getByLabel('Name', { exact: true }).fill('First steps')
  await page.getByRole('button', { name: 'Create course' }).click()
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await page.getByRole('button', { name: 'Add chapter' }).click()

  await test.step('a chapter shows in the preview as it is typed', async () => {
    await page.getByLabel('Title').fill('Jobs')
    await editor(page).click()
    await page.keyboard.insertText(TEXT)
    await expect(preview(page).getByRole('heading', { name: 'Your first job' })).toBeVisible()
    await expect(preview(page).getByText('Tip', { exact: true })).toBeVisible()
    await expect(preview(page).getByRole('button', { name: 'Run in terminal' })).toBeVisible()
    await expect(preview(page)).toContainText('<script>')
    await expect(preview(page).getByRole('link')).toHaveCount(0)
    await page
      .getByLabel('Insert file')
      .and(page.locator('input'))
      .setInputFiles({ name: 'queue plot.png', mimeType: 'image/png', buffer: PICTURE })
    const shown = preview(page).getByRole('img', { name: 'queue plot' })
    await expect(shown).toBeVisible()
    expect(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(4)
    await expect(editor(page)).toContainText('](files/queue%20plot.png)')
  })
  await test.step('a broken quiz cannot be saved', async () => {
    await editor(page).press('Control+End')
    await page.keyboard.insertText('```quiz\nNo answer?\n- [ ] a\n- [ ] b\n```\n')
    await expect(page.getByText('Mark the right choice with [x]')).toBeVisible()
    for (let line = 0; line < 5; line++) await page.keyboard.press('Shift+ArrowUp')
    await page.keyboard.press('Delete')
    await expect(page.getByText('This chapter has problems')).toBeHidden()
  })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Chapter saved')).toBeVisible()
  await inspect(page, picture, 'course-editor')

  await test.step('chapters are put in order with the mouse and with the keyboard', async () => {
    await page.getByRole('button', { name: 'Add chapter' }).click()
    await expect(chapters(page)).toHaveCount(2)
    await chapters(page).nth(1).dragTo(chapters(page).nth(0))
    await expect(chapters(page)).toContainText(['1. Chapter 2', '2. Jobs'])
    await page.getByRole('button', { name: 'Actions for Chapter 2' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Move down' }).click()
    await expect(chapters(page)).toContainText(['1. Jobs', '2. Chapter 2'])
  })

  await page.getByRole('link', { name: 'Files' }).click()
  await expect(page.getByRole('list', { name: 'Files' })).toContainText('queue plot.png')
  await inspect(page, picture, 'course-files')
  await page.getByRole('link', { name: 'Details' }).click()
  await page.getByLabel('Description').fill('Jobs, queues and files')
  await page.getByLabel('Cluster template').selectOption({ label: 'Slurm on AWS' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Course saved')).toBeVisible()
  await inspect(page, picture, 'course-details')

  await page.getByRole('link', { name: 'Preview' }).click()
  await page.getByRole('radio', { name: 'scancel' }).check()
  await page.getByRole('button', { name: 'Answer' }).click()
  await expect(page.getByText('Not quite')).toBeVisible()
  await expect(page.getByText('It puts the script into the queue.')).toBeVisible()
  await inspect(page, picture, 'course-preview')

  const downloaded = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const archive = await readFile(await (await downloaded).path())
  await page.getByRole('button', { name: 'More actions for First steps' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete course' }).click()
  await expect(page.getByText('No courses yet')).toBeVisible()

  const choose = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import' }).click()
  await (await choose).setFiles({ name: 'course.tar.gz', mimeType: 'application/gzip', buffer: archive })
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await expect(chapters(page)).toContainText(['1. Jobs', '2. Chapter 2'])
  await expect(preview(page).getByRole('img', { name: 'queue plot' })).toBeVisible()
  await page.goto(`${server.url}/courses`)
  await expect(page.getByRole('row', { name: /First steps/ })).toContainText('Jobs, queues and files')
  await inspect(page, picture, 'courses')
})
