import { api } from '@flotilla/contract/api'
import type { Locator, Page, WebSocketRoute } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { thisMachine } from './support/local-cluster'
import { call, newPerson, openLive } from './support/people'
import type { Server } from './support/server'

test.use({ viewport: { width: 1280, height: 1000 } })

let server: Server
let machine: string
test.beforeAll(async ({ server: shared }) => {
  server = shared
  machine = await thisMachine(server)
})

/** Cuts and restores the page's live connection. */
async function cutter(page: Page) {
  const routes = new Set<WebSocketRoute>()
  let isCut = false
  await page.routeWebSocket(/socket\.io/, (route) => {
    if (isCut) return void route.close()
    routes.add(route)
    route.connectToServer()
  })
  return {
    async cut() {
      isCut = true
      for (const route of routes) await route.close()
      routes.clear()
    },
    async restore() {
      isCut = false
      // Browsers fire this event when the network is back, so the page reconnects at once.
      await page.evaluate(() => dispatchEvent(new Event('online')))
    },
  }
}

const region = (page: Page) => page.getByRole('region', { name: /^Terminal on/ })
const rows = (page: Page): Promise<string[]> =>
  region(page)
    .locator('.xterm-rows > div')
    .evaluateAll((all) => all.map((row) => row.textContent.replaceAll('\u00a0', ' ').trimEnd()))
const rowWith = (page: Page, text: RegExp): Locator =>
  region(page).locator('.xterm-rows > div').filter({ hasText: text }).last()
const expectOutput = (page: Page, text: RegExp) =>
  expect.poll(async () => (await rows(page)).join('\n')).toMatch(text)

/** Opens a terminal as a new user, with the same prompt everywhere. Returns the user's token. */
async function openTerminal(page: Page): Promise<string> {
  const person = await newPerson(server)
  const { token } = await openLive(page, server, person, `/clusters/${machine}/terminal`)
  await page.getByRole('button', { name: 'Open terminal' }).click()
  await expectOutput(page, /\$$/m)
  await region(page).getByRole('textbox').focus()
  await page.keyboard.type("PS1='ready> '; clear\n")
  await expect.poll(() => rows(page).then(([first]) => first)).toBe('ready>')
  return token
}

type Rgb = `${number},${number},${number}`
/** The colors in an area of the page, most frequent first. */
async function colors(page: Page, place: Locator): Promise<Rgb[]> {
  const box = await place.boundingBox()
  if (!box) return []
  const shot = await page.screenshot({ clip: { ...box, width: Math.min(box.width, 300) } })
  return page.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (char) => char.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes]))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')
    context?.drawImage(image, 0, 0)
    const { data } = context?.getImageData(0, 0, image.width, image.height) ?? { data: [] }
    const counts = new Map<Rgb, number>()
    for (let i = 0; i < data.length; i += 4) {
      const color: Rgb = `${data[i] ?? 0},${data[i + 1] ?? 0},${data[i + 2] ?? 0}`
      counts.set(color, (counts.get(color) ?? 0) + 1)
    }
    return [...counts].toSorted(([, a], [, b]) => b - a).map(([color]) => color)
  }, shot.toString('base64'))
}
/** A color of the page's theme, as RGB values. */
const themeColor = (page: Page, name: string): Promise<Rgb> =>
  page.evaluate((of) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    if (!context) throw new Error('no canvas')
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${of}`)
    context.fillRect(0, 0, 1, 1)
    const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data
    const color: Rgb = `${r},${g},${b}`
    return color
  }, name)

async function inBothThemes(page: Page, check: (theme: string) => Promise<void>): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
    await check(colorScheme)
  }
}
/** Expects a row in reverse video, whose background has the color of the text. */
async function expectReversed(page: Page, row: Locator): Promise<void> {
  const [ink, ground] = [await themeColor(page, 'ink-1'), await themeColor(page, 'surface-2')]
  await expect.poll(async () => (await colors(page, row))[0]).toBe(ink)
  expect(await colors(page, row)).toContain(ground)
}

test(
  'vim, less and top look as in a real terminal, and survive a lost connection',
  { tag: SOAK },
  async ({ page, picture }) => {
    const connection = await cutter(page)
    await openTerminal(page)
    const programs = [
      {
        name: 'vim',
        start: `seq -f 'line %g of the file' 500 > numbers.txt; vim -N -u NONE -c 'set laststatus=2' numbers.txt`,
        begun: /^numbers\.txt/m,
        keys: ['4', '2', 'G'],
        reversed: /^numbers\.txt/m,
        shown: /line 42 of/,
        quit: ':q!\n',
      },
      {
        name: 'less',
        start: 'less numbers.txt',
        begun: /^numbers\.txt/m,
        keys: ['1', '0', '0', 'g', '='],
        reversed: /numbers\.txt lines/,
        shown: /line 100 of/,
        quit: 'q',
      },
      {
        name: 'top',
        start: 'top -d 3000',
        begun: /PID USER/,
        keys: ['c'],
        reversed: /PID USER/,
        shown: /load average/,
        quit: 'q',
      },
    ]
    for (const { name, start, begun, keys, reversed, shown, quit } of programs) {
      await page.keyboard.type(`${start}\n`)
      await expectOutput(page, begun)
      for (const key of keys) await page.keyboard.press(key)
      await expectOutput(page, shown)
      await inBothThemes(page, async (theme) => {
        await expectReversed(page, rowWith(page, reversed))
        await picture(`terminal-${name}-${theme}`)
      })

      const before = await rows(page)
      await connection.cut()
      await expect(region(page).getByRole('status')).toContainText('Connection lost, reconnecting')
      if (name === 'vim') await picture('terminal-lost')
      // Keys that are typed during the outage are dropped.
      await page.keyboard.type('x')
      await connection.restore()
      await expect(region(page).getByRole('status')).toContainText('Open')
      await expect.poll(() => rows(page)).toEqual(before)
      await expectReversed(page, rowWith(page, reversed))

      // The program still takes keys, and afterward the shell's line has only the prompt.
      await page.keyboard.type(quit)
      await expect.poll(() => rows(page).then((all) => all.findLast(Boolean))).toBe('ready>')
      await page.keyboard.type(`echo "no garbage in "${name}\n`)
      await expectOutput(
        page,
        new RegExp(`^ready> echo "no garbage in "${name}\\nno garbage in ${name}\\nready>$`, 'm'),
      )
    }
    await page.keyboard.type('clear; history | tail -n 12\n')
    await expectOutput(page, /history \| tail/)
    expect((await rows(page)).join('\n')).not.toMatch(/[;?]\d+c|rgb:|\^\[/)
  },
)

test(
  'programs get the colors that they request, in both themes',
  { tag: SOAK },
  async ({ page, picture }) => {
    const refused: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) refused.push(message.text())
    })
    const token = await openTerminal(page)
    const sixteen = Array.from({ length: 16 }, (_, i) => i)
    const esc = '\u001B['
    const blanks = ' '.repeat(50)
    const lines = [
      `${esc}48;2;250;128;114m truecolor${blanks}${esc}0m`,
      `${esc}48;5;208m 256 colors${blanks}${esc}0m`,
      `${esc}41m palette${blanks}${esc}0m`,
      `${esc}7m reverse ${blanks}${esc}0m`,
      `${esc}7;48;2;1;2;3;38;2;120;220;20m both reversed${blanks}${esc}0m`,
      `${esc}38;2;200;40;90m${'█'.repeat(50)} ink${esc}0m`,
      `${esc}1mbold${esc}0m ${esc}2mdim${esc}0m ${esc}3mitalic${esc}0m ${esc}4munderline${esc}0m ${esc}9mstruck${esc}0m`,
      `wide 漢字${esc}41m ${esc}0m|`,
      `wide abcd${esc}41m ${esc}0m|`,
      '┌──────┬──────┐\n│ box  │ ▁▃▅▇ │\n└──────┴──────┘',
      [...sixteen.map((color) => `${esc}38;5;${color}m ${color}`), `${esc}0m plain`].join(''),
      [...sixteen.map((color) => `${esc}30;48;5;${color}m ${color} `), `${esc}0m`].join(''),
      [...sixteen.map((color) => `${esc}97;48;5;${color}m ${color} `), `${esc}0m`].join(''),
      [...Array.from({ length: 64 }, (_, i) => `${esc}48;2;${i * 4};${255 - i * 4};128m `), `${esc}0m`].join(
        '',
      ),
    ]
    await call(
      server,
      api.files.writeText,
      { cluster: machine, body: { path: 'colors', text: `${lines.join('\n')}\n` } },
      token,
    )
    await page.keyboard.type('clear; cat colors\n')
    await expectOutput(page, /both reversed[\s\S]*plain/)
    await inBothThemes(page, async (theme) => {
      const first = async (text: RegExp) => (await colors(page, rowWith(page, text)))[0]
      await expect.poll(() => first(/truecolor/)).toBe('250,128,114')
      await expect.poll(() => first(/256 colors/)).toBe('255,135,0')
      await expect.poll(() => first(/palette/)).toBe(await themeColor(page, 'ansi-red'))
      await expectReversed(page, rowWith(page, / reverse /))
      await expect.poll(() => first(/both reversed/)).toBe('120,220,20')
      await expect.poll(() => first(/ink/)).toBe('200,40,90')
      await picture(`terminal-colors-${theme}`)
    })
    // A wide character takes two columns, so the text after it lines up with the text after two narrow ones.
    const red = (text: RegExp) => rowWith(page, text).locator('.xterm-bg-1').boundingBox()
    const [wide, narrow] = [await red(/漢字/), await red(/abcd/)]
    expect(Math.abs((wide?.x ?? 0) - (narrow?.x ?? 99))).toBeLessThan(1)

    // Selected text is highlighted, and Ctrl+C copies it instead of interrupting the program.
    await rowWith(page, /box/).click({ clickCount: 3, force: true })
    await expect(region(page).locator('.xterm-selection div').first()).toBeVisible()
    await picture('terminal-selection')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.keyboard.press('Control+c')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('│ box')
    // The terminal is as narrow as on a phone.
    await page.setViewportSize({ width: 390, height: 844 })
    await picture('terminal-colors-phone')
    // The keyboard can leave it again.
    await region(page).getByRole('textbox').focus()
    await page.keyboard.press('Control+Shift+E')
    await expect(region(page).getByRole('button', { name: 'Close terminal' })).toBeFocused()
    expect(refused).toEqual([])
  },
)
