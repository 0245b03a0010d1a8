import { messages } from '@flotilla/contract/messages'
import { failure } from './call'

export type LicenceProblem = { title: string; message: string; hints: readonly string[] }

/** Null when the licence holds. */
export async function licenceProblem(answer: Promise<Response>): Promise<LicenceProblem | null> {
  const response = await answer.catch(() => null)
  if (!response) return { title: messages.networkError, message: '', hints: messages.networkHints }
  if (response.ok) return null
  const { code, message } = await failure(response.clone())
  if (code === 'license_invalid')
    return { title: messages.licenseField, message: messages.licenseInvalid, hints: [] }
  return { title: message, message: '', hints: [] }
}
