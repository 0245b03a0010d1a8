import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { findTofu } from './find'

async function program(text: string): Promise<string> {
  const file = path.join(await testFolder(), 'tofu')
  await writeFile(file, `#!/bin/sh\n${text}\n`)
  await chmod(file, 0o755)
  return file
}
const says = (version: string) => `echo '{"terraform_version":"${version}"}'`

describe('finding OpenTofu', () => {
  it('explains how to install a missing OpenTofu', async () => {
    const env = { PATH: await testFolder() }
    await expect(findTofu({ tofuBin: undefined, env })).rejects.toMatchObject({
      code: 'engineMissing',
      message: expect.stringContaining('not installed'),
      advice: expect.stringContaining('TOFU_BIN'),
    })
  })

  it('uses the configured program or the one on the PATH, and passes on nothing else of the environment', async () => {
    const file = await program(says('1.12.6'))
    const env = {
      PATH: `${path.dirname(file)}:${process.env.PATH}`,
      SECRET: 'x',
      HTTPS_PROXY: 'http://proxy:1',
    }
    const found = {
      command: [file],
      version: '1.12.6',
      simulated: false,
      environment: { PATH: env.PATH, HTTPS_PROXY: env.HTTPS_PROXY },
    }
    expect(await findTofu({ tofuBin: undefined, env })).toEqual(found)
    expect(await findTofu({ tofuBin: file, env })).toEqual(found)
  })

  it.each([
    ['is too old', says('1.9.4'), 'too old'],
    ['is something else', 'echo hello', 'does not behave like'],
    ['cannot be run', 'exit 3', 'cannot be run'],
  ])('reports a program that %s', async (_what, text, message) => {
    const tofuBin = await program(text)
    await expect(findTofu({ tofuBin, env: process.env })).rejects.toMatchObject({
      code: 'engineMissing',
      message: expect.stringContaining(message),
    })
  })
})
