import type { LogLevel } from '@flotilla/contract/clusters/entity'
import * as z from 'zod/mini'
import type { ChangeAction, EngineEvent } from '../engine'
import type { Line } from '../process/lines'

/** One line of the engine's `-json` output, limited to the fields that are used. */
const EngineMessage = z.object({
  '@level': z.string(),
  '@message': z.string(),
  '@timestamp': z.optional(z.string()),
  type: z.optional(z.string()),
  hook: z.optional(
    z.object({
      resource: z.object({ addr: z.string() }),
      action: z.optional(z.string()),
      id_value: z.optional(z.string()),
      elapsed_seconds: z.optional(z.number()),
    }),
  ),
  diagnostic: z.optional(
    z.object({
      severity: z.string(),
      summary: z.string(),
      detail: z.optional(z.string()),
      address: z.optional(z.string()),
    }),
  ),
})
type EngineMessage = z.infer<typeof EngineMessage>

/** An error or warning of the engine. */
export interface Diagnostic {
  severity: 'error' | 'warn'
  summary: string
  detail: string
  /** The address that it refers to, if there is a single one. */
  address?: string
}

export interface ParsedEvent {
  event: EngineEvent
  diagnostic?: Diagnostic
}

const phases = { start: 'start', progress: 'progress', complete: 'done', errored: 'failed' } as const
const actions = new Set<string>(['create', 'update', 'delete', 'replace', 'read'])
const isAction = (text: string | undefined): text is ChangeAction => text !== undefined && actions.has(text)

function changeIn({ type = '', hook }: EngineMessage): EngineEvent['change'] {
  const match = /^(apply|provision|refresh)_(start|progress|complete|errored)$/.exec(type)
  const [, what, step] = match ?? []
  if (!hook || !what || !(step && step in phases)) return undefined
  const own = what === 'refresh' ? 'refresh' : what === 'provision' ? 'provision' : undefined
  const action = own ?? (isAction(hook.action) ? hook.action : 'update')
  return {
    address: hook.resource.addr,
    action,
    // The pattern matches only these keys.
    phase: phases[step as keyof typeof phases],
    ...(hook.elapsed_seconds !== undefined && { seconds: hook.elapsed_seconds }),
    ...(hook.id_value !== undefined && { id: hook.id_value }),
  }
}

function textOf({ '@message': message, diagnostic }: EngineMessage): string {
  if (!diagnostic) return message.trim()
  const where = diagnostic.address ? ` (${diagnostic.address})` : ''
  return [`${message.trim()}${where}`, diagnostic.detail?.trim()].filter(Boolean).join('\n')
}

const levelOf = (level: string): EngineEvent['level'] =>
  level === 'error' ? 'error' : level === 'warn' ? 'warning' : 'info'

function parseMessage(text: string): EngineMessage | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return EngineMessage.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Parses a line into an event. Text that is not JSON, such as a crash of the engine, is passed on with `textLevel`. */
export function parseEvent(
  line: Line,
  redact: (text: string) => string,
  textLevel: LogLevel,
): ParsedEvent | undefined {
  const message = parseMessage(line.text)
  if (!message) {
    const text = redact(plain(line.text))
    return text ? { event: { time: Date.now(), level: textLevel, text, position: line.end } } : undefined
  }
  const change = changeIn(message)
  const { diagnostic } = message
  return {
    event: {
      time: Date.parse(message['@timestamp'] ?? '') || Date.now(),
      level: levelOf(message['@level']),
      text: redact(textOf(message)),
      ...(change && { change }),
      position: line.end,
    },
    ...(diagnostic && {
      diagnostic: {
        severity: diagnostic.severity === 'error' ? 'error' : 'warn',
        summary: redact(diagnostic.summary),
        detail: redact(diagnostic.detail ?? ''),
        ...(diagnostic.address && { address: redact(diagnostic.address) }),
      },
    }),
  }
}

// oxlint-disable-next-line no-control-regex -- terminal colors begin with a control character
const colors = /\u001B\[[\d;]*m/g
const plain = (text: string) => text.replace(colors, '').trim()
