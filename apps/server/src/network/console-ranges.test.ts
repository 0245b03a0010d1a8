import { expect, it } from 'vitest'
import { consoleRanges } from './console-ranges'

it("includes the address that the console's URL resolves to", async () => {
  expect(await consoleRanges('https://203.0.113.7:8443/')).toContain('203.0.113.7/32')
})

it('includes no private address, and nothing for a name that does not resolve', async () => {
  const own = await consoleRanges('http://127.0.0.1:3000')
  for (const url of [
    'http://localhost',
    'http://10.1.2.3',
    'http://[::1]',
    'http://console.invalid',
    'no URL',
  ])
    expect(await consoleRanges(url)).toEqual(own)
})
