import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    // A window for each file takes six times as long as the tests in it, and none of them leaves anything behind in it.
    isolate: false,
  },
})
