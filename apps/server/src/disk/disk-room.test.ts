import { expect, it } from 'vitest'
import { Failure } from '../fail'
import { isDiskFull, isLow, roomOf } from './disk-room'

const failed = (code: string, cause?: unknown) =>
  Object.assign(new Error('could not extend file', { cause }), { code })

it('recognizes the disk-full codes of the system and of PostgreSQL, also in a cause', () => {
  for (const code of ['ENOSPC', 'EDQUOT', '53100']) {
    expect(isDiskFull(failed(code))).toBe(true)
    expect(isDiskFull(failed('other', failed(code)))).toBe(true)
  }
  expect(isDiskFull(failed('ENOENT'))).toBe(false)
  expect(new Failure('disk_full').status).toBe(503)
})

it('the disk is low when its free bytes or inodes fall below the reserve', () => {
  const { freeBytes, reserveBytes } = roomOf('/')
  expect(freeBytes).toBeGreaterThan(0)
  expect(reserveBytes).toBeGreaterThan(0)
  const enough = { freeBytes: 11, reserveBytes: 11, freeInodes: 5, reserveInodes: 5 }
  expect(isLow(enough)).toBe(false)
  expect(isLow({ ...enough, freeBytes: 10 })).toBe(true)
  expect(isLow({ ...enough, freeInodes: 4 })).toBe(true)
})
