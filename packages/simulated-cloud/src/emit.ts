import { writeSync } from 'node:fs'

/** Prefix of every message, so that no one mistakes this for a real cloud. */
export const LABEL = '[simulated]'

export interface ResourceName {
  address: string
  type: string
  name: string
  key: string | number | null
}

const resourceOf = ({ address, type, name, key }: ResourceName) => ({
  addr: address,
  module: '',
  resource: address.replace(/^data\./, ''),
  implied_provider: type.slice(0, type.indexOf('_')),
  resource_type: type,
  resource_name: name,
  resource_key: key,
})

/** Written synchronously, so that nothing is lost if the process is killed. */
const toStandardOutput = (text: string) => {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      // The pipe is full at the moment.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
    }
  }
}

export interface EmitOptions {
  json: boolean
  print?: (text: string) => void
}

export type Emit = ReturnType<typeof makeEmit>

/** Writes messages as the real engine does: as JSON lines or as text. */
export function makeEmit({ json, print = toStandardOutput }: EmitOptions) {
  const say = (level: 'info' | 'warn' | 'error', message: string, more: object) => {
    const text = `${LABEL} ${message}`
    if (!json) return print(`${text}\n`)
    print(
      `${JSON.stringify({
        '@level': level,
        '@message': text,
        '@module': 'tofu.ui',
        '@timestamp': new Date().toISOString(),
        ...more,
      })}\n`,
    )
  }
  return {
    raw: print,
    info: (message: string, more: object = {}) => say('info', message, more),
    hook(type: string, resource: ResourceName, message: string, more: object = {}) {
      const hook = { resource: resourceOf(resource), ...more }
      say('info', `${resource.address}: ${message}`, { type, hook })
    },
    change(
      type: 'planned_change' | 'resource_drift',
      resource: ResourceName,
      message: string,
      action: string,
    ) {
      const change = { resource: resourceOf(resource), action }
      say('info', `${resource.address}: ${message}`, { type, change })
    },
    diagnostic(severity: 'error' | 'warn', summary: string, detail = '', address?: string) {
      const word = severity === 'error' ? 'Error' : 'Warning'
      const diagnostic = {
        severity: severity === 'error' ? 'error' : 'warning',
        summary: `${LABEL} ${summary}`,
        detail,
        ...(address !== undefined && { address }),
      }
      say(severity, `${word}: ${summary}${json || !detail ? '' : `\n\n${detail}`}`, {
        type: 'diagnostic',
        diagnostic,
      })
    },
  }
}
