import type { EngineEvent } from '../engine'
import type { Diagnostic } from '../tofu/events'
import type { Line } from '../process/lines'

/** What a build created, by the name of its builder. */
export interface Artifact {
  builder: string
  /** As the builder reports it: `us-east-1:ami-0123`, a path, a name. */
  id: string
}

export interface PackerEvent {
  event?: EngineEvent
  diagnostic?: Diagnostic
  artifact?: Artifact
  /** A builder that has failed while others may still be running. */
  failed?: string
  open?: { builder: string; host: string; username: string }
}

/** Printed by the provisioner of our template that waits for manual changes. */
export const OPEN = 'flotilla-open'

const machineReadableLine = /^(\d+),([^,]*),([^,]*),(.*)$/s
/** Decodes the format's escapes of commas and line breaks. */
const plain = (text: string) =>
  text
    .replaceAll('%!(PACKER_COMMA)', ',')
    .replaceAll(String.raw`\r`, '')
    .replaceAll(String.raw`\n`, '\n')
    .trim()

/** Parses a line of `packer -machine-readable`: time, target, type and data, separated by commas. */
export function parsePackerLine(line: Line, redact: (text: string) => string): PackerEvent | undefined {
  const match = machineReadableLine.exec(line.text)
  if (!match) {
    // Output of a crash is passed on as it is.
    const text = redact(line.text.trim())
    return text ? { event: { time: Date.now(), level: 'warning', text, position: line.end } } : undefined
  }
  const [, seconds = '', target = '', type = '', data = ''] = match
  if (type === 'ui') return parseUi(data, Number(seconds) * 1000, line.end, redact)
  if (type === 'error') return { diagnostic: error(redact(plain(data))), failed: target }
  const id = type === 'artifact' ? /^\d+,id,(.+)$/s.exec(data)?.[1] : undefined
  return id === undefined ? undefined : { artifact: { builder: target, id: plain(id) } }
}

/** Lines that repeat a builder's error, which is also a line of its own. */
const repeatsAnError = /^(?:Build '[^']+' errored|==> Some builds didn't complete|--> )/

const error = (summary: string): Diagnostic => ({ severity: 'error', summary, detail: '' })

function parseUi(
  data: string,
  time: number,
  position: number,
  redact: (text: string) => string,
): PackerEvent | undefined {
  const comma = data.indexOf(',')
  const kind = data.slice(0, comma)
  const text = redact(plain(data.slice(comma + 1)))
  if (text === '') return undefined
  const found = new RegExp(`(?:^|\\s)([\\w-]+): ${OPEN} (\\S+) (\\S+)$`).exec(text)
  if (found) return { open: { builder: found[1] ?? '', host: found[2] ?? '', username: found[3] ?? '' } }
  const failed = kind === 'error' ? /^Build '([^']+)' errored/.exec(text)?.[1] : undefined
  return {
    event: { time, level: kind === 'error' ? 'error' : 'info', text, position },
    ...(kind === 'error' && !repeatsAnError.test(text) && { diagnostic: error(text) }),
    ...(failed !== undefined && { failed }),
  }
}
