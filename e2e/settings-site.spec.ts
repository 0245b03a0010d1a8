import { api } from '@flotilla/contract/api'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, newPerson, open } from './support/people'
import { inspect } from './support/screen'
import { writeConfig } from './support/site-config'

const svg = (color: string, more = '') => ({
  name: 'logo.svg',
  mimeType: 'image/svg+xml',
  buffer: Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 8"><rect width="80" height="8" fill="${color}"/>${more}</svg>`,
  ),
})

test(
  'an admin previews branding before saving it, and the login page shows the logo',
  { tag: SOAK },
  async ({ page, server, picture, browser }) => {
    await open(page, server, await newPerson(server, ['admin']), '/settings/interface')
    const preview = page.getByRole('region', { name: 'Preview', exact: true })
    const accent = page.getByRole('textbox', { name: /^Accent color(?!,)/ })
    const light = preview.getByRole('figure', { name: 'Preview, light theme' })
    await page.getByLabel('Name', { exact: true }).fill('Aurora Computing')
    await accent.fill('#b91c1c')
    await page.getByLabel('Training menu title').fill('Summer school')
    await page.getByLabel('Logo', { exact: true }).setInputFiles(svg('#15803d'))
    await expect(light).toContainText('Aurora Computing')
    await expect(light).toContainText('Summer school')
    await expect(light.getByText('Primary action')).toHaveCSS('background-color', 'rgb(185, 28, 28)')
    for (const theme of ['light', 'dark']) {
      const logo = preview.getByRole('figure', { name: `Preview, ${theme} theme` }).locator('img')
      await expect(logo).toHaveAttribute('src', /^data:image\/svg/)
      // The logo is ten times as wide as high and must not overflow its bar.
      expect(await logo.evaluate((one) => one.scrollWidth <= (one.parentElement?.clientWidth ?? 0))).toBe(
        true,
      )
    }
    await inspect(page, picture, 'settings-interface')
    // Nothing is saved yet.
    const main = page.getByRole('navigation', { name: 'Main' })
    await expect(main.getByText('Aurora Computing')).toHaveCount(0)
    await page.getByRole('button', { name: 'Save branding' }).click()
    await expect(page.getByText('Branding saved')).toBeVisible()
    await expect(main.getByText('Summer school')).toBeVisible()
    await expect(page).toHaveTitle(/Aurora Computing/)

    const guest = await browser.newPage()
    await guest.goto(`${server.url}/login`)
    await expect(guest.getByText('Aurora Computing').first()).toBeVisible()
    const drawn = guest.locator('img[src^="/assets/logo-"]').first()
    await expect(drawn).toBeVisible()
    expect(await drawn.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
    expect(await drawn.boundingBox()).toMatchObject({ width: 160, height: 32 })
    await guest.close()

    await page.getByLabel('Logo', { exact: true }).setInputFiles(svg('red', '<script>alert(1)</script>'))
    await page.getByRole('button', { name: 'Save branding' }).click()
    await expect(page.getByText(/The SVG contains a script/)).toBeVisible()
    await accent.fill('red')
    await page.getByRole('button', { name: 'Remove logo' }).click()
    await page.getByRole('button', { name: 'Save branding' }).click()
    await expect(accent).toHaveAccessibleDescription(/must be a color/)
    await accent.fill('')
    await page.getByLabel('Training menu title').fill('Workshop')
    await page.getByRole('button', { name: 'Save branding' }).click()
    await expect(main.getByText('Workshop')).toBeVisible()
    await expect(page.locator('img[src^="/assets/logo-"]')).toHaveCount(0)

    await page.getByLabel('Text', { exact: true }).fill('<h1>Good morning</h1><script>alert(1)</script>')
    await expect(page.getByRole('region', { name: 'Preview of the text' })).toHaveText('Good morning')
    await page.getByRole('button', { name: 'Save text' }).click()
    await expect(page.getByText('Text saved')).toBeVisible()
    await page.getByRole('button', { name: 'Use the built-in text' }).click()
    await expect(page.getByLabel('Text', { exact: true })).toHaveValue(/Clusters when you need them/)
  },
)

test(
  'settings in config.json cannot be changed on the page',
  { tag: SOAK },
  async ({ page, server, picture }) => {
    await writeConfig(server.dataDir, {
      branding: { name: 'By the operator' },
      register: false,
      allowedEmailDomains: ['example.org'],
      providers: ['aws'],
    })
    try {
      await open(page, server, await newPerson(server, ['admin']), '/settings/interface')
      await expect(page.getByLabel('Name', { exact: true })).toBeDisabled()
      await expect(page.getByLabel('Name', { exact: true })).toHaveAccessibleDescription(
        'Set by assets/config.json on the server. Change it there.',
      )
      const tabs = page.getByRole('navigation', { name: 'Settings' })
      await tabs.getByRole('link', { name: 'Security' }).click()
      await expect(page.getByLabel('People can create their own accounts')).toBeDisabled()
      await inspect(page, picture, 'settings-security-set-by-file', ['desk'])
      await tabs.getByRole('link', { name: 'Cloud' }).click()
      await expect(page.getByRole('switch', { name: 'AWS' })).toBeDisabled()
    } finally {
      await writeConfig(server.dataDir, {})
    }
  },
)

test(
  'an admin changes registration, its email domains and the idle timer',
  { tag: SOAK },
  async ({ page, server, browser, picture }) => {
    await open(page, server, await newPerson(server, ['admin']), '/settings/security')
    const domains = page.getByLabel('Allowed email domains')
    await domains.fill('not a domain!')
    await page.getByLabel('Idle timer (minutes)').fill('600')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    await expect(page.getByText(/Enter a domain such as example\.org/)).toBeVisible()
    for (const word of ['domain!', 'a', 'not'])
      await page.getByRole('button', { name: `Remove domain ${word}`, exact: true }).click()
    await domains.fill('example.org')
    await save.click()
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
    await inspect(page, picture, 'settings-security')

    const guest = await browser.newPage()
    await guest.goto(`${server.url}/register`)
    for (const [label, value] of [
      ['Username', `eve${Date.now()}`],
      ['First name', 'Eve'],
      ['Last name', 'Outside'],
      ['Email', 'eve@elsewhere.example'],
      ['Password', 'Correct-Horse-7!'],
      ['Confirm password', 'Correct-Horse-7!'],
    ] as const)
      await guest.getByLabel(label, { exact: true }).fill(value)
    await guest.getByRole('button', { name: /create/i }).click()
    await expect(guest.getByLabel('Email')).toHaveAccessibleDescription(
      'Email domain not allowed. Please use an email from one of these domains: example.org',
    )
    await page.getByRole('button', { name: 'Remove domain example.org' }).click()
    await page.getByLabel('People can create their own accounts').uncheck()
    // The notice of the previous save may still be visible, so the test waits for the response.
    const answered = page.waitForResponse(
      (response) => response.request().method() !== 'GET' && response.ok(),
    )
    await save.click()
    await answered
    await guest.goto(`${server.url}/register`)
    await expect(guest).toHaveURL(`${server.url}/login`)
    await guest.close()
    await page.getByLabel('People can create their own accounts').check()
    await page.getByLabel('Idle timer (minutes)').fill('0')
    await save.click()
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  },
)

test(
  'adding and updating two-step rules shows the messages of the specification',
  { tag: SOAK },
  async ({ page, server, picture }) => {
    await open(page, server, await newPerson(server, ['admin']), '/settings/two-step')
    await expect(page.getByText('No two-step rules')).toBeVisible()
    await inspect(page, picture, 'settings-two-step-empty', ['desk'])
    await page.getByRole('button', { name: 'Add rule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('')
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    await expect(page.getByText('Error adding Two Step Verification Settings')).toBeVisible()
    await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/Enter a name/)
    await dialog.getByLabel('Name').fill('Summer school')
    await dialog.getByLabel('Email domains').fill('example.org')
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    await expect(page.getByText('Two Step Verification Settings Added Successfully')).toBeVisible()
    const row = page
      .getByRole('table', { name: 'Two-step rules' })
      .getByRole('row', { name: /Summer school/ })
    await expect(row).toContainText('@example.org')
    await page.getByLabel('Check an address').fill('ada@example.org')
    await expect(page.getByText('Must enter a code (rule “Summer school”).')).toBeVisible()
    await page.getByLabel('Check an address').fill('ada@elsewhere.example')
    await expect(page.getByText('Logs in without a code.')).toBeVisible()
    await inspect(page, picture, 'settings-two-step')

    const actions = page.getByRole('button', { name: 'Actions for Summer school' })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await dialog.getByLabel('Email domains').fill('wrong domain!')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Error updating Two Step Verification Settings')).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await actions.click()
    await page.getByRole('menuitem', { name: 'Turn off' }).click()
    await expect(page.getByText('Two Step Verification Settings Updated Successfully')).toBeVisible()
    await expect(row).toContainText('Off')
  },
)

test(
  'an admin sets cluster defaults, and providers for all users and for one user',
  { tag: SOAK },
  async ({ page, server, picture, browser }) => {
    await open(page, server, await newPerson(server, ['admin']), '/settings/cluster')
    const tokens = page.getByRole('switch', { name: 'One-time tokens for desktops' })
    await expect(tokens).toBeChecked()
    await tokens.click()
    await expect(page.getByText('Cluster settings saved')).toBeVisible()
    await expect(tokens).not.toBeChecked()
    await inspect(page, picture, 'settings-cluster')
    await tokens.click()
    await expect(tokens).toBeChecked()

    const person = await newPerson(server)
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Cloud' }).click()
    for (const name of ['GCP', 'Oracle', 'Azure', 'ACM']) {
      await page.getByRole('switch', { name, exact: true }).click()
      await expect(page.getByRole('switch', { name, exact: true })).not.toBeChecked()
    }
    const offered = async (token: string) =>
      (await call(server, api.providers.list, {}, token)).map(({ id }) => id)
    const theirs = await browser.newPage()
    const { token } = await open(theirs, server, person, '/clusters')
    await expect.poll(() => offered(token)).toEqual(['aws'])

    await page.goto(`${server.url}/settings`)
    await page.getByRole('button', { name: `Actions for ${person.username}` }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'Only these' }).check()
    await dialog.getByLabel('Azure').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('User Updated')).toBeVisible()
    await theirs.close()
    const again = await browser.newPage()
    const next = await open(again, server, person, '/clusters')
    await expect.poll(() => offered(next.token)).toEqual(['azure'])
    await again.close()
    const body = { providers: ['oracle', 'aws', 'gcp', 'maas', 'azure'] as const }
    await call(
      server,
      api.settings.setConfig,
      { body: { providers: [...body.providers] } },
      await adminToken(server),
    )
  },
)
