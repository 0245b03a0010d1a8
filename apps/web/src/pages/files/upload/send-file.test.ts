import { UPLOAD_PIECE_BYTES } from '@flotilla/contract/jobs/files'
import { describe, expect, it } from 'vitest'
import { ApiError } from '@flotilla/client/api-error'
import { nextPiece, sendFile } from './send-file'
import type { UploadTarget } from './send-file'

const network = () => new ApiError({ status: 0, code: 'network', message: 'Network Error' })
const refused = (reason: string) =>
  new ApiError({ status: 409, code: 'file_refused', message: `refused: ${reason}`, reason })

/** A server that stores what it receives, and whose connection can break before or after a chunk is written. */
function testServer(part = '') {
  let arrived = part
  let file: string | null = null
  const faults: ('before' | 'after' | Error)[] = []
  const pieces: number[] = []
  const target: UploadTarget = {
    received: async () => arrived.length,
    isThere: async () => file !== null,
    send: async (bytes, { offset, final }) => {
      const fault = faults.shift()
      if (fault === 'before') throw network()
      if (fault instanceof Error) throw fault
      if (offset > arrived.length) throw refused('wrong offset')
      pieces.push(offset)
      arrived = arrived.slice(0, offset) + (await bytes.text())
      if (final) {
        file = arrived
        arrived = ''
      }
      if (fault === 'after') throw network()
    },
  }
  return { target, faults, pieces, file: () => file, arrived: () => arrived }
}
const content = Array.from({ length: 90_000 }, (_, at) => String(at).padStart(9, '0')).join('')
const waits: number[] = []
const upload = (
  server: ReturnType<typeof testServer>,
  more: { resume?: boolean; signal?: AbortSignal; text?: string } = {},
) =>
  sendFile(new Blob([more.text ?? content]), server.target, {
    resume: more.resume ?? false,
    signal: more.signal ?? new AbortController().signal,
    onSent: () => undefined,
    onWaiting: () => undefined,
    sleep: async (ms) => void waits.push(ms),
  })

describe('an upload', () => {
  it('arrives complete, in chunks', async () => {
    const server = testServer()
    await upload(server)
    expect(server.file()).toBe(content)
    expect(server.pieces.length).toBeGreaterThan(1)
  })

  it('of an empty file completes', async () => {
    const server = testServer()
    await upload(server, { text: '' })
    expect(server.file()).toBe('')
  })

  it('continues after a lost connection, whether or not the server received the chunk', async () => {
    const server = testServer()
    server.faults.push('before', 'after', 'before', 'before')
    await upload(server)
    expect(server.file()).toBe(content)
  })

  it('is complete if only the last response was lost', async () => {
    const server = testServer()
    server.faults.push('after')
    await upload(server, { text: 'small' })
    expect(server.file()).toBe('small')
    expect(server.pieces).toEqual([0])
  })

  it('of the same file resumes at the offset of the interruption', async () => {
    const server = testServer(content.slice(0, 500_000))
    await upload(server, { resume: true })
    expect(server.file()).toBe(content)
    expect(server.pieces[0]).toBe(500_000)
  })

  it('only needs to be finalized if the server has all of it', async () => {
    const server = testServer(content)
    await upload(server, { resume: true })
    expect(server.file()).toBe(content)
    expect(server.pieces).toEqual([content.length])
  })

  it('overwrites the partial upload of another file', async () => {
    const server = testServer('left over from another upload')
    await upload(server)
    expect(server.file()).toBe(content)
  })

  it('never continues another file, even after a lost connection', async () => {
    const server = testServer('x'.repeat(400_000))
    server.faults.push('before')
    await upload(server)
    expect(server.file()).toBe(content)
  })

  it('queries the offset if the server has less than expected', async () => {
    const server = testServer()
    server.faults.push(refused('wrong offset'))
    await upload(server)
    expect(server.file()).toBe(content)
  })

  it('fails on errors that retrying does not fix', async () => {
    const server = testServer()
    server.faults.push(new ApiError({ status: 503, code: 'disk_full', message: 'The disk is full' }))
    await expect(upload(server)).rejects.toThrow('The disk is full')
  })

  it('sends nothing after it was paused', async () => {
    const server = testServer()
    const stop = new AbortController()
    stop.abort()
    await expect(upload(server, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(server.pieces).toEqual([])
  })
})

it('sends larger chunks on a fast connection and smaller ones on a slow one', () => {
  expect(nextPiece(1_000_000, 100)).toBe(2_000_000)
  expect(nextPiece(UPLOAD_PIECE_BYTES, 10)).toBe(UPLOAD_PIECE_BYTES)
  expect(nextPiece(1_000_000, 5000)).toBe(500_000)
  expect(nextPiece(1_000_000, 1500)).toBe(1_000_000)
})
