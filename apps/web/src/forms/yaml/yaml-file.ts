import type * as z from 'zod/mini'
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { errorsByPath } from '../zod-resolver'

export interface Problem {
  /** Starts at 1; null if it belongs to no line. */
  line: number | null
  text: string
}
type Parsed<Values> = { success: true; data: Values } | { success: false; error: z.core.$ZodError }
export type ReadFile<Values> = { values: Values } | { problems: Problem[] }

/**
 * Parses a YAML file; returns its values or its errors by line. Unknown fields are also errors, because they would be
 * dropped silently.
 */
export function readYamlFile<Values>(
  text: string,
  notAFile: string,
  parse: (raw: Record<string, unknown>) => Parsed<Values>,
): ReadFile<Values> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  if (document.errors.length > 0)
    return { problems: document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), text: message })) }
  if (!isMap(document.contents)) return { problems: [{ line: null, text: notAFile }] }
  // A map becomes an object; its values are unknown.
  const raw = document.toJS() as Record<string, unknown>
  /** The closest ancestor of a path that is in the text. */
  const lineOf = (path: readonly PropertyKey[]): number | null => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsetAt(document.contents, path.slice(0, length))
      if (offset !== null) return lineAt(offset)
    }
    return null
  }
  const parsed = parse(raw)
  const problems = parsed.success
    ? unknownIn(raw, parsed.data).map((path) => ({ path, text: `${path.join('.')}: unknown field` }))
    : [...errorsByPath(parsed.error.issues)].map(([path, message]) => ({
        path: path.split('.'),
        text: `${path}: ${message}`,
      }))
  if (parsed.success && problems.length === 0) return { values: parsed.data }
  return {
    problems: problems
      .map(({ path, text: problem }) => ({ line: lineOf(path), text: problem }))
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  }
}

/** Where a path's key starts in the text; null if it is missing. */
function offsetAt(node: unknown, path: readonly PropertyKey[]): number | null {
  let at: unknown = node
  let offset: number | null = null
  for (const key of path) {
    if (isMap(at)) {
      const pair = at.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
      if (!pair) return null
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? null) : null
      at = pair.value
    } else if (isSeq(at)) {
      at = at.items[Number(key)]
      if (at === undefined) return null
      offset = isScalar(at) || isMap(at) || isSeq(at) ? (at.range?.[0] ?? null) : null
    } else return null
  }
  return offset
}

/** Paths that were in the file but not in the parsed result. */
function unknownIn(raw: unknown, known: unknown, at: readonly string[] = []): string[][] {
  if (typeof raw !== 'object' || raw === null || typeof known !== 'object' || known === null) return []
  return Object.entries(raw).flatMap(([key, value]) => {
    const path = [...at, key]
    return key in known ? unknownIn(value, Reflect.get(known, key), path) : [path]
  })
}
