import { ApiError } from '@flotilla/client/api-error'
import type { FeedSource } from './feed-state'
import type { Piece } from './piece'

export const bytes = (text: string) => new TextEncoder().encode(text)
export const text = (part: Uint8Array) => new TextDecoder().decode(part)

/** A test file on a server. It can grow, and its stream can break. */
export function testFile(content: string | null) {
  let data = content === null ? null : bytes(content)
  let listener: {
    from: number
    piece: (piece: Piece) => void
    lost: (reason: string | null) => void
  } | null = null
  const ranges: { from?: number; limit: number }[] = []
  const follows: number[] = []
  const send = () => {
    if (!listener || !data || data.length <= listener.from) return
    const from = listener.from
    listener.from = data.length
    listener.piece({ text: text(data.slice(from)), from, next: data.length })
  }
  const source: FeedSource = {
    piece: async (range) => {
      ranges.push(range)
      if (!data) throw new ApiError({ status: 404, code: 'not_found', message: 'There is no such file' })
      const from = Math.max(0, Math.min(range.from ?? data.length - range.limit, data.length))
      const part = data.slice(from, from + range.limit)
      return { text: text(part), from, next: from + part.length, size: data.length, binary: part.includes(0) }
    },
    follow: (from, on) => {
      follows.push(from)
      const mine = { from, ...on }
      listener = mine
      return () => {
        if (listener === mine) listener = null
      }
    },
  }
  return {
    source,
    ranges,
    follows,
    grow: (more: string) => {
      data = bytes((data ? text(data) : '') + more)
      send()
    },
    growSilently: (more: string) => {
      data = bytes((data ? text(data) : '') + more)
    },
    breakStream: () => listener?.lost(null),
    push: (piece: Piece) => listener?.piece(piece),
    isFollowed: () => listener !== null,
  }
}
