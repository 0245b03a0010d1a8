import { expect, it } from 'vitest'
import { consoleRanges } from './console-ranges'

it("offers the address that the console's URL leads to", async () => {
  expect(await consoleRanges('https://203.0.113.7:8443/')).toContain('203.0.113.7/32')
})

it('offers nothing that is only known inside a network, and nothing that it cannot find out', async () => {
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
