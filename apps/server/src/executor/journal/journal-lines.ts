import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import * as z from 'zod/mini'
import type { Change } from './state'

const CHUNK = 1024 * 1024
/** Far more than the longest line that is ever written: an array of ten thousand tasks takes a few megabytes. */
const LINE_MAX = 64 * 1024 * 1024

/** A line's position in the file, and its bytes unless it is too long to be a record. */
export type Line = { from: number; to: number; bytes: Buffer | null }

/** Yields every complete line and returns where the last one ends. A damaged file may exceed the available memory. */
export function* linesIn(handle: number): Generator<Line, number> {
  const chunk = Buffer.alloc(CHUNK)
  let pieces: Buffer[] = []
  let from = 0
  const keep = (piece: Buffer, to: number) => {
    if (to - from > LINE_MAX) pieces = []
    else pieces.push(Buffer.from(piece))
  }
  for (let at = 0, size = 0; (size = readSync(handle, chunk, 0, CHUNK, at)) > 0; at += size) {
    const read = chunk.subarray(0, size)
    let begin = 0
    for (let end = read.indexOf(10); end !== -1; end = read.indexOf(10, begin)) {
      const to = at + end + 1
      keep(read.subarray(begin, end), to)
      yield { from, to, bytes: to - from > LINE_MAX ? null : Buffer.concat(pieces) }
      pieces = []
      from = to
      begin = end + 1
    }
    keep(read.subarray(begin), at + size)
  }
  return from
}

/** Appends parts of a file to another; they are on disk when it returns. */
export function copyAside(handle: number, parts: readonly Line[], file: string): void {
  const aside = openSync(file, 'a', 0o600)
  try {
    const chunk = Buffer.alloc(CHUNK)
    for (const { from, to } of parts)
      for (let at = from, size = 0; at < to; at += size) {
        size = readSync(handle, chunk, 0, Math.min(CHUNK, to - at), at)
        if (size === 0) break
        for (let done = 0; done < size;) done += writeSync(aside, chunk, done, size - done)
      }
    fsyncSync(aside)
  } finally {
    closeSync(aside)
  }
}

const id = z.number().check(z.int(), z.minimum(1))
const which = { id, task: z.optional(z.number()), at: z.number() }
const places = z.array(z.looseObject({ node: z.string(), gpus: z.array(z.number()) }))
const tasks = z.optional(z.array(z.number()))
const ending = z.enum(['succeeded', 'failed', 'canceled', 'timed_out', 'node_failed'])

/** The objects are loose so that fields added by a later version are kept. */
const Recorded = z.discriminatedUnion('op', [
  z.looseObject({
    op: z.literal('configure'),
    config: z.looseObject({
      nodes: z.array(z.looseObject({ name: z.string(), cores: z.number(), gpus: z.number() })),
      hide: z.array(z.string()),
      readOnly: z.array(z.string()),
    }),
  }),
  z.looseObject({ op: z.literal('drain'), node: z.string(), reason: z.string() }),
  z.looseObject({ op: z.literal('resume'), node: z.string() }),
  z.looseObject({
    op: z.literal('job'),
    job: z.looseObject({
      id,
      name: z.string(),
      user: z.string(),
      nodes: z.number(),
      cores: z.number(),
      gpus: z.number(),
      limitS: z.number(),
      workdir: z.string(),
      stdoutPath: z.string(),
      mark: z.string(),
      runAs: z.nullable(
        z.looseObject({ uid: z.number(), gid: z.number(), username: z.string(), home: z.string() }),
      ),
      env: z.record(z.string(), z.string()),
      interpreter: z.array(z.string()).check(z.minLength(1)),
      script: z.string().check(z.regex(/^\w+$/)),
      submitTime: z.number(),
      tasks: z
        .array(z.looseObject({ state: z.enum(['waiting', 'running', 'ended']), attempt: z.number() }))
        .check(z.minLength(1)),
    }),
  }),
  z.looseObject({ op: z.literal('start'), ...which, key: z.string(), boot: z.string(), places }),
  z.looseObject({ op: z.literal('back'), ...which }),
  z.looseObject({ op: z.literal('hold'), id, tasks, held: z.boolean() }),
  z.looseObject({ op: z.literal('limit'), id, limitS: z.number() }),
  z.looseObject({ op: z.literal('cancel'), id, tasks, at: z.number() }),
  z.looseObject({ op: z.literal('end'), ...which, ending, reason: z.string() }),
  z.looseObject({ op: z.literal('next'), id }),
])

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The change that a line records; throws if the line is not a record. */
export function readChange({ bytes }: Line): Change {
  if (bytes === null) throw new Error('is longer than any record')
  // Older versions wrote "cancelled". Inside a string the quotes would be escaped, so only keys and values match.
  const text = utf8
    .decode(bytes)
    .replaceAll('"cancelled":true', '"canceled":true')
    .replaceAll('"ending":"cancelled"', '"ending":"canceled"')
  return Recorded.parse(JSON.parse(text))
}
