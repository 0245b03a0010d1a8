import { expect, it } from 'vitest'
import type { Transport } from '../../../transports/transport'
import { query } from './query'

it('removes NUL characters, which the database rejects and any user’s program can print', async () => {
  const exec = async () => ({ code: 0, stdout: 'n1\0,n2\0', stderr: '' })
  const transport = { exec } as unknown as Transport
  expect(await query({ transport }, { argv: [], parse: ({ stdout }) => stdout })).toBe('n1,n2')
})
