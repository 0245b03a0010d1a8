import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { api } from '@flotilla/contract/api'
import { call, newPerson, open, openLive } from './support/people'
import { toLocal } from './support/local-time'
import { inspect } from './support/screen'

/** A single-color image of 4 × 4 pixels. */
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

  await test.step('the preview updates as a chapter is typed', async () => {
    await page.getByLabel('Title').fill('Jobs')
    await editor(page).click()
    await page.keyboard.insertText(TEXT)
    await expect(preview(page).getByRole('heading', { name: 'Your first job' })).toBeVisible()
    await expect(preview(page).getByText('Tip', { exact: true })).toBeVisible()
    await expect(preview(page).getByRole('button', { name: 'Run in terminal' })).toBeVisible()
    await expect(preview(page)).toContainText('<script>')
    await expect(preview(page).getByRole('link')).toHaveCount(0)
    // The printed page shows only the chapter, without the editor.
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('heading', { name: 'Jobs', exact: true })).toBeVisible()
    await expect(preview(page).getByRole('heading', { name: 'Your first job' })).toBeVisible()
    await expect(page.getByRole('list', { name: 'Chapters' })).toBeHidden()
    await expect(page.getByRole('tab')).toHaveCount(0)
    await expect(page.getByRole('textbox')).toHaveCount(0)
    await page.emulateMedia({ media: 'screen' })
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
    await expect(page.getByText('Mark the correct choice with [x]')).toBeVisible()
    for (let line = 0; line < 5; line++) await page.keyboard.press('Shift+ArrowUp')
    await page.keyboard.press('Delete')
    await expect(page.getByText('This chapter has problems')).toBeHidden()
  })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Chapter saved')).toBeVisible()
  await inspect(page, picture, 'course-editor')

  await test.step('chapters are reordered with the mouse and the keyboard', async () => {
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
  await expect(page.getByText('Incorrect', { exact: true }).last()).toBeVisible()
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

const LESSON = [
  'Type this:',
  '',
  '```bash',
  'echo "sum: $((40 + 2))"',
  '```',
  '',
  '```quiz',
  'How many nodes does this job use?',
  '= 4',
  '= four',
  '> Look at the line with --nodes.',
  '```',
].join('\n')

test(
  'a participant reads a course beside their terminal, and the instructor sees their progress',
  { tag: SOAK },
  async ({ page, server, picture, browser }) => {
    const maria = await newPerson(server, ['instructor', 'user'])
    const { token } = await openLive(page, server, maria, '/courses')
    const { id } = await call(server, api.courses.create, { body: { name: 'Batch jobs' } }, token)
    for (const [title, markdown] of [
      ['First', LESSON],
      ['Second', 'The end.'],
    ] as const)
      await call(server, api.courses.addChapter, { id, body: { title, markdown } }, token)

    // The instructor creates a workshop with the course.
    await page.goto(`${server.url}/trainings/new`)
    await page.getByLabel('Name', { exact: true }).fill('Batch day')
    await page.getByLabel('Start').fill(toLocal(Date.now() - 60_000))
    await page.getByRole('combobox', { name: /^Cluster/ }).selectOption({ label: 'This machine (available)' })
    await page.getByRole('combobox', { name: /^Course/ }).selectOption({ label: 'Batch jobs' })
    await page.getByLabel('Two-step verification').selectOption('off')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('heading', { name: 'Batch day' })).toBeVisible()
    const shownCode = page.getByText(/^[2-9A-Z]{3}-[2-9A-Z]{3}-[2-9A-Z]{3}$/).first()
    const code = (await shownCode.textContent()) ?? ''
    await page.getByRole('tab', { name: 'Course' }).click()
    await expect(page.getByText('No one has opened the course yet')).toBeVisible()

    const ada = await (await browser.newContext()).newPage()
    await ada.goto(`${server.url}/training-login?code=${code}`)
    await ada.getByLabel('Full Name').fill('Ada Lovelace')
    await ada.getByLabel('Email').fill('ada@example.org')
    await ada.getByRole('button', { name: 'Login to Workshop Session' }).click()
    await ada.getByRole('link', { name: 'Open workshop' }).click()
    await expect(ada.getByRole('heading', { name: 'Batch day' })).toBeVisible()
    await expect(ada.getByText('Type this:')).toBeVisible()

    // Running code opens the participant's own terminal.
    await ada.getByRole('button', { name: 'Run in terminal' }).click()
    await expect(ada.getByText('sum: 42').first()).toBeVisible()
    await ada.getByRole('textbox', { name: 'How many nodes' }).fill('Four')
    await ada.getByRole('button', { name: 'Answer' }).click()
    await expect(ada.getByText('Look at the line with --nodes.')).toBeVisible()
    await inspect(ada, picture, 'participant')

    // The keyboard moves the divider, whose position is kept.
    const divider = ada.getByRole('separator', { name: 'Width of the course' })
    // The terminal takes the focus when the layout is wide again.
    await expect(ada.getByText('sum: 42').first()).toBeVisible()
    await expect(ada.getByRole('textbox', { name: /terminal/i }).first()).toBeFocused()
    await divider.press('End')
    await expect(divider).toHaveAttribute('aria-valuenow', '80')
    await ada.reload()
    await expect(divider).toHaveAttribute('aria-valuenow', '80')
    // The shell is still the same. Its output may differ: a shell redraws its prompt when the terminal narrows.
    await expect(ada.getByText('Open', { exact: true })).toBeVisible()
    await ada.getByRole('button', { name: 'Next' }).click()
    await expect(ada.getByText('The end.')).toBeVisible()
    await ada.getByRole('button', { name: 'Messages' }).click()
    await expect(ada.getByText('No messages yet')).toBeVisible()
    await ada.keyboard.press('Escape')
    await ada.getByRole('tab', { name: 'Desktop' }).click()
    await expect(ada.getByRole('button', { name: 'Start desktop' })).toBeVisible()
    // A reload returns to the same place.
    await ada.reload()
    await expect(ada.getByRole('button', { name: 'Start desktop' })).toBeVisible()

    await ada.getByRole('button', { name: 'Full screen' }).first().click()
    await expect(ada.getByText(/\d+ h \d+ min left/)).toBeVisible()
    await ada.getByRole('button', { name: 'Exit full screen' }).click()

    // On a phone, either the course or the workspace is shown.
    await ada.setViewportSize({ width: 390, height: 844 })
    await expect(divider).toHaveCount(0)
    await ada.getByRole('tab', { name: 'Workspace' }).click()
    await expect(ada.getByRole('tab', { name: 'Terminal' })).toBeVisible()

    const row = page.getByRole('row', { name: /Ada Lovelace/ })
    await expect(row).toContainText('2. Second')
    await page.getByText('How many nodes does this job use?').click()
    await expect(page.getByText('Four', { exact: true })).toBeVisible()
    await inspect(page, picture, 'course-progress')
  },
)
