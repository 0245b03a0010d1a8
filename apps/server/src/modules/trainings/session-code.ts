import { createHmac, randomInt } from 'node:crypto'
import {
  formatSessionCode,
  normalizeSessionCode,
  SESSION_CODE_ALPHABET,
  SESSION_CODE_LENGTH,
} from '@flotilla/contract/trainings/session-code'
import { fail } from '../../fail'

export function makeSessionCode(): string {
  const letter = () => SESSION_CODE_ALPHABET.charAt(randomInt(SESSION_CODE_ALPHABET.length))
  return formatSessionCode(Array.from({ length: SESSION_CODE_LENGTH }, letter).join(''))
}

/** Reports a session code that another workshop has as an invalid field. A code must identify one workshop. */
export async function uniqueCode<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'trainings_code_hash_key')
      return fail('bad_input', { fields: { 'data.sessionCode': 'Another workshop has this code' } })
    throw error
  }
}

export type Hashes = ReturnType<typeof makeHashes>
/** Hashes are keyed, because the inputs are short enough to be guessed from a plain hash. */
export const makeHashes = (key: Buffer) => {
  const hash = (...parts: string[]) => createHmac('sha256', key).update(parts.join('\n')).digest('base64url')
  return {
    sessionCode: (typed: string) => hash('session code', normalizeSessionCode(typed)),
    emailedCode: (registrationId: string, code: string) => hash('emailed code', registrationId, code),
    /** Identifies where a verification came from: the browser by the secret it generated, otherwise the network. */
    origin: (registrationId: string, device: string | undefined, network: string) =>
      device === undefined
        ? hash('network', registrationId, network)
        : hash('device', registrationId, device),
  }
}
