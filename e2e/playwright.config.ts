import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { SOAK } from './support/fixtures'
import { parts } from '../scripts/parts/parts.mjs'

// The runner says which real components are available; tests that need a missing one are excluded.
const available = process.env.FLOTILLA_PARTS?.split(',')
const missing = available
  ? parts.filter((part) => !available.includes(part.name)).map(({ name }) => name)
  : []
// Tests that take minutes run only in `npm run soak`.
const soaking = process.env.FLOTILLA_SOAK !== undefined
if (!soaking) missing.push('soak')
const chromium = parts.find((part) => part.name === 'chromium')?.find()
/** Long enough for a busy machine: a passing test never waits this long, and a failing one reports where it stopped. */
const TIMEOUT_MS = 90_000

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  testIgnore: missing.map((name) => `**/*.${name}{,.*}.spec.ts`),
  ...(!soaking && { grepInvert: new RegExp(SOAK) }),
  outputDir: '../test-results/e2e',
  globalSetup: './support/global-setup.ts',
  // The extra worker keeps the cores busy while another one waits for a server.
  workers: availableParallelism() + 1,
  fullyParallel: false,
  timeout: 400_000,
  expect: { timeout: process.env.CI || soaking ? TIMEOUT_MS : 15_000, toPass: { timeout: TIMEOUT_MS } },
  forbidOnly: true,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['line'], ['json']] : [['line']],
  use: {
    browserName: 'chromium',
    actionTimeout: TIMEOUT_MS,
    navigationTimeout: TIMEOUT_MS,
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Animations are drawn 60 times a second on the same cores that run the tests.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: [
        '--no-sandbox', // the tests may run as root, where Chromium refuses its sandbox
        '--disable-gpu',
        // Pages are too short-lived for optimized code to pay off.
        '--js-flags=--no-opt --no-maglev',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
