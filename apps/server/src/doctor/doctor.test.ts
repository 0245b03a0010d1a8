import net from 'node:net'
import { expect, it } from 'vitest'
import { testFolder } from '../../test/support/folder'
import { probeDatabase } from '../db/connection/probe'
import { findPacker } from '../engines/packer/find'
import { findTofu, simulatedProgram } from '../engines/tofu/find'
import { findEngines } from './engine'
import { findProgram } from './programs'
import { findDatabase, findMail, findMailOfEnvironment } from './services'

it('reports that OpenTofu and Packer are simulated', async () => {
  const standIn = async () => simulatedProgram({ file: 'stand-in.js', dir: '', env: { PATH: '' } })
  const found = await findEngines({ tofu: standIn, packer: standIn })
  expect(found.map(({ part, state, message }) => [part, state, message.includes('simulated')])).toEqual([
    ['OpenTofu', 'found', true],
    ['Packer', 'found', true],
  ])
})

it('advises to install missing engines', async () => {
  const env = { PATH: await testFolder() }
  const found = await findEngines({
    tofu: () => findTofu({ tofuBin: undefined, env }),
    packer: () => findPacker({ packerBin: undefined, env }),
  })
  for (const { state, advice } of found) {
    expect(state).toBe('missing')
    expect(advice.join()).toMatch(/Install/)
  }
})

it('distinguishes a program that fails from one that is not installed', async () => {
  const program = { part: 'Program', version: /\d+/, neededFor: 'this test', advice: ['Install it'] }
  const script = 'echo "reading settings" >&2; echo "fatal: no settings" >&2; exit 1'
  expect(await findProgram({ ...program, command: 'sh', args: ['-c', script] })).toMatchObject({
    state: 'trouble',
    message: 'sh is installed but fails: fatal: no settings',
    advice: [],
  })
  expect(await findProgram({ ...program, command: 'no-such-program', args: [] })).toMatchObject({
    state: 'missing',
    advice: ['Install it'],
  })
})

it('reports whether the mail server responds', async () => {
  expect(await findMail(undefined)).toMatchObject({
    state: 'trouble',
    message: expect.stringMatching(/only written to files/),
  })
  expect(await findMailOfEnvironment(undefined)).toMatchObject({
    state: 'trouble',
    message: expect.stringMatching(/^SMTP_URL is not set/),
    advice: [expect.stringMatching(/Send test email/)],
  })
  const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const url = `smtp://user:hidden-secret@127.0.0.1:${port}`
  expect(await findMail(url)).toMatchObject({
    state: 'found',
    message: expect.stringMatching(/which responds$/),
  })
  await new Promise((closed) => server.close(closed))
  const away = await findMail(url)
  expect(away).toMatchObject({ state: 'trouble', message: expect.stringMatching(/ECONNREFUSED/) })
  expect(JSON.stringify(away)).not.toContain('hidden-secret')
})

it('probes the database without starting one', async () => {
  const own = await findDatabase(() => probeDatabase(undefined))
  expect(own).toMatchObject({ state: 'found', version: expect.stringMatching(/^\d+\./) })
  const url = 'postgres://console:hidden-secret@127.0.0.1:9/console'
  const away = await findDatabase(() => probeDatabase(url))
  expect(away).toMatchObject({ state: 'trouble', message: expect.stringMatching(/console@127\.0\.0\.1:9/) })
  expect(JSON.stringify(away)).not.toContain('hidden-secret')
})
