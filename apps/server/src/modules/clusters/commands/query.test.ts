import { expect, it } from 'vitest'
import type { Transport } from '../../../transports/transport'
import { query } from './query'

it('leaves out what the database takes in no text, which anyone can make their own programs print', async () => {
  const exec = async () => ({ code: 0, stdout: 'n1\0,n2\0', stderr: '' })
  const transport = { exec } as unknown as Transport
  expect(await query({ transport }, { argv: [], parse: ({ stdout }) => stdout })).toBe('n1,n2')
})
